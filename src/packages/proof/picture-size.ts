import type { MediaType } from '../../db/tables.js';

interface Pixels {
  width: number;
  height: number;
}

/**
 * Media type and size of a picture by its head; undefined for bytes that do not begin as a JPEG, PNG or WebP. By hand, as anybody
 * may have made them: a library that knows all types took a quarter of a second over a mebibyte that is no picture.
 */
export function sizeOf(bytes: Buffer): ({ type: MediaType } & Pixels) | undefined {
  for (const [type, read] of readers) {
    const pixels = read(bytes);
    if (pixels) return { type, ...pixels };
  }
  return undefined;
}

const readers: readonly [MediaType, (bytes: Buffer) => Pixels | undefined][] = [
  ['image/jpeg', jpegPixels],
  ['image/png', pngPixels],
  ['image/webp', webpPixels],
];

const holds = (bytes: Buffer, at: number, text: string): boolean =>
  bytes.toString('latin1', at, at + text.length) === text;

const PNG_HEAD = 24;

/** Its first chunk (PNG, 11.2.1). */
function pngPixels(bytes: Buffer): Pixels | undefined {
  const isPng = bytes.length >= PNG_HEAD && holds(bytes, 0, '\x89PNG\r\n\x1a\n') && holds(bytes, 12, 'IHDR');
  return isPng ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : undefined;
}

const WEBP_HEAD = 30;

/** One of three kinds (RFC 9649): extended, lossy as a frame of VP8, lossless. */
function webpPixels(bytes: Buffer): Pixels | undefined {
  if (bytes.length < WEBP_HEAD || !holds(bytes, 0, 'RIFF') || !holds(bytes, 8, 'WEBPVP8')) return undefined;
  if (holds(bytes, 15, 'X')) return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (holds(bytes, 15, ' ') && holds(bytes, 23, '\x9d\x01\x2a'))
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (!holds(bytes, 15, 'L') || !holds(bytes, 20, '\x2f')) return undefined;
  const bits = bytes.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** Those of the 16 markers from 0xc0 that begin no frame: tables, an extension, arithmetic coding. */
const FRAMELESS = new Set([0xc4, 0xc8, 0xcc]);
const START_OF_SCAN = 0xda;
/** Of a frame: marker, length, precision, height and width. */
const JPEG_FRAME = 9;

/** The head of its first frame (ITU-T T.81, B.2), which comes before any scan: until then each segment says how long it is. */
function jpegPixels(bytes: Buffer): Pixels | undefined {
  if (!holds(bytes, 0, '\xff\xd8')) return undefined;
  for (let at = 2; at + JPEG_FRAME <= bytes.length; ) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff || marker < 0xc0 || marker === START_OF_SCAN) return undefined;
    if (marker <= 0xcf && !FRAMELESS.has(marker))
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    // Any marker may be filled up with bytes of 0xff.
    at += marker === 0xff ? 1 : 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return undefined;
}
