import type { Sharp } from 'sharp';
import { invalid, invalidField, type ServiceError, unavailable } from '../base/errors.js';
import { createGate } from '../base/turns/queue.js';
import { MEBIBYTE } from '../base/values.js';

/** Pictures that people send, made anew so that they hold a picture and nothing else. */

const MAX_SIDE = 8_192;
/** To decode so many takes up to 300 MB. */
const MAX_PIXELS = 33_554_432;

const types = { jpeg: 'image/jpeg', png: 'image/png', webp: 'image/webp' } as const;
type Format = keyof typeof types;

export interface Picture {
  type: (typeof types)[Format];
  bytes: Buffer;
}

/** The largest width and height, in pixels. */
export interface PictureBox {
  width: number;
  height: number;
}

const isFormat = (format: string): format is Format => Object.hasOwn(types, format);

/** One is decoded at a time, to bound the process's memory. */
const gate = createGate({
  atOnce: 1,
  maxWaiting: 64,
  maxWaitingOfOwner: 64,
  refusal: () => unavailable(undefined, 1, 'pictures_in_flight'),
});

/**
 * The picture as it is stored: of the same kind, upright, its first frame only, without metadata, of 1 MiB at most, and
 * within the box if there is one.
 * Throws VALIDATION_ERROR for a picture that does not decode and for too many pixels, UNAVAILABLE when too many wait,
 * the signal's reason.
 */
export const cleanPicture = (bytes: Buffer, signal: AbortSignal, box?: PictureBox): Promise<Picture> =>
  gate.pass('', signal, () => cleaned(bytes, box));

/** Loads the library when the first picture comes: 20 MB, which most processes never need. */
async function loadDecoder() {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  // It reads a dozen other formats.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['Jpeg', 'Png', 'Webp'].map((name) => `VipsForeignLoad${name}Buffer`) });
  return sharp;
}

let decoder: ReturnType<typeof loadDecoder> | undefined;

async function cleaned(bytes: Buffer, box: PictureBox | undefined): Promise<Picture> {
  decoder ??= loadDecoder();
  const sharp = await decoder;
  // The head is read in any case; decoding is bounded.
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

/** A coarse PNG is one of 256 colours. */
function inFormat(picture: Sharp, format: Format, quality: number): Sharp {
  if (format === 'jpeg') return picture.jpeg({ quality });
  return format === 'png' ? picture.png({ palette: quality === COARSE }) : picture.webp({ quality, effort: 2 });
}
