import type { Sharp } from 'sharp';
import { invalid, invalidField, type ServiceError, unavailable } from '../base/errors.js';
import { createGate } from '../base/turns/queue.js';
import { MEBIBYTE } from '../base/values.js';

/** Cleans pictures that people send: encodes each one again, so that the file has only the picture. */

const MAX_SIDE = 8_192;
/** Most pixels of a picture. Decoding them takes up to 300 MB. */
const MAX_PIXELS = 33_554_432;

const types = { jpeg: 'image/jpeg', png: 'image/png', webp: 'image/webp' } as const;
type Format = keyof typeof types;

export interface Picture {
  type: (typeof types)[Format];
  bytes: Buffer;
}

/** The largest width and height, in pixels. */
export interface Frame {
  width: number;
  height: number;
}

const isFormat = (format: string): format is Format => Object.hasOwn(types, format);

/** Only one picture is decoded at a time, to bound the memory of the process. */
const gate = createGate({
  atOnce: 1,
  maxWaiting: 64,
  maxWaitingOfOwner: 64,
  refusal: () => unavailable(undefined, 1, 'pictures_in_flight'),
});

/**
 * Makes the stored form of a picture: the same kind, upright, only the first frame, without metadata, at most 1 MiB,
 * and within `box` if there is one. Throws VALIDATION_ERROR for a picture that does not decode or has too many pixels.
 * Throws UNAVAILABLE if too many wait, and the signal's reason.
 */
export const cleanPicture = (bytes: Buffer, signal: AbortSignal, box?: Frame): Promise<Picture> =>
  gate.pass('', signal, () => cleaned(bytes, box));

/** Loads the library with the first picture. It takes 20 MB, and most processes never need it. */
async function loadDecoder() {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  // Blocks the dozen other formats that the library reads.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['Jpeg', 'Png', 'Webp'].map((name) => `VipsForeignLoad${name}Buffer`) });
  return sharp;
}

let decoder: ReturnType<typeof loadDecoder> | undefined;

async function cleaned(bytes: Buffer, box: Frame | undefined): Promise<Picture> {
  decoder ??= loadDecoder();
  const sharp = await decoder;
  // Reading the head needs no bound; decoding does.
  const { format, width, height } = await sharp(bytes, { limitInputPixels: false }).metadata().catch(refuse);
  if (!isFormat(format)) throw unreadable();
  demandPixels(width, height);
  const whole = (): Sharp => sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' }).autoOrient();
  const open = () => (box ? whole().resize(box.width, box.height, inside) : whole());
  const longest = box ? Math.max(box.width, box.height) : Math.max(width, height);
  const stored = await encoded(open, format, longest).catch(refuse);
  return { type: types[format], bytes: stored };
}

const unreadable = (cause?: unknown): ServiceError => {
  const message = 'must be a whole JPEG, PNG or WebP picture';
  return invalid([{ field: 'body', code: 'unreadable', message, reason: 'picture_unreadable' }], { cause });
};

function refuse(cause: unknown): never {
  throw unreadable(cause);
}

function demandPixels(width: number, height: number): void {
  if (width <= MAX_SIDE && height <= MAX_SIDE && width * height <= MAX_PIXELS) return;
  const message = `must have at most ${MAX_SIDE} pixels on each side, and ${MAX_PIXELS} in all`;
  throw invalidField('body', 'too_large', message);
}

const inside = { fit: 'inside', withoutEnlargement: true } as const;

const FINE = 80;
const COARSE = 50;

async function encoded(open: () => Sharp, format: Format, longest: number): Promise<Buffer> {
  let stored = await inFormat(open(), format, FINE).toBuffer();
  for (let side = longest; stored.length > MEBIBYTE; side = Math.ceil(side / 2)) {
    const smaller = open().resize(side, side, inside);
    stored = await inFormat(smaller, format, COARSE).toBuffer();
  }
  return stored;
}

/** Encodes a picture. A PNG of low quality has 256 colours. */
function inFormat(picture: Sharp, format: Format, quality: number): Sharp {
  if (format === 'jpeg') return picture.jpeg({ quality });
  return format === 'png' ? picture.png({ palette: quality === COARSE }) : picture.webp({ quality, effort: 2 });
}
