import { crc32 } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import sharp, { type Sharp } from 'sharp';
import { cleanPicture } from '../../src/files/picture-file.js';
import { envelopeOf } from '../../src/http/errors.js';
import { observeRaw } from '../support/jest/observed-answers.js';
import { jpeg, png, webp } from '../support/pictures.js';

const here = new AbortController().signal;
const clean = (bytes: Buffer) => cleanPicture(bytes, here);

const navy = { r: 0, g: 0, b: 128 };

/** A picture like one from a telephone: on its side, with the place in it. Its left third is dark. */
const taken = (): Sharp =>
  sharp({ create: { width: 40, height: 30, channels: 3, background: 'white' } })
    .composite([{ input: { create: { width: 10, height: 30, channels: 3, background: navy } }, left: 0, top: 0 }])
    .withExif({ IFD0: { Make: 'Telefone' }, IFD3: { GPSLatitudeRef: 'S', GPSLatitude: '23/1 33/1 56/1' } })
    .withMetadata({ orientation: 6 });

const metadataOf = async (bytes: Buffer) => {
  const { format, width, height, exif, xmp, icc, orientation, pages } = await sharp(bytes).metadata();
  return { format, width, height, exif, xmp, icc, orientation, pages };
};
const nothing = { exif: undefined, xmp: undefined, icc: undefined, orientation: undefined, pages: undefined };

async function isDark(bytes: Buffer, left: number, top: number): Promise<boolean> {
  const pixel = await sharp(bytes).extract({ left, top, width: 1, height: 1 }).removeAlpha().raw().toBuffer();
  return (pixel[0] ?? 255) < 128;
}

const reasonOf = (bytes: Buffer): Promise<unknown> =>
  clean(bytes).then(
    () => 'accepted',
    ({ code, reason, details }) => [code, reason, details[0]?.field],
  );
const unreadable = ['VALIDATION_ERROR', 'picture_unreadable', 'body'];

describe('a picture as it is stored', () => {
  test.each([
    ['image/jpeg', () => taken().jpeg()],
    ['image/png', () => taken().png()],
    ['image/webp', () => taken().webp()],
  ])('%s: is upright, keeps its kind, and has no data of the camera', async (type, encoder) => {
    const sent = await encoder().toBuffer();
    expect(await metadataOf(sent)).toMatchObject({ width: 40, height: 30, orientation: 6, exif: expect.any(Buffer) });
    const stored = await clean(sent);
    expect(stored.type).toBe(type);
    expect(await metadataOf(stored.bytes)).toEqual({ format: type.slice(6), width: 30, height: 40, ...nothing });
    expect([await isDark(stored.bytes, 15, 2), await isDark(stored.bytes, 15, 35)]).toEqual([true, false]);
    for (const word of ['Telefone', 'Exif', 'GPS']) expect(stored.bytes.includes(word)).toBe(false);
    expect((await clean(sent)).bytes.equals(stored.bytes)).toBe(true);
  });

  test.each([
    ['image/jpeg', jpeg(321, 123)],
    ['image/png', png(321, 123)],
    ['image/webp', webp(321, 123)],
  ])('is made of a picture from another encoder: %s', async (type, bytes) => {
    const stored = await clean(bytes);
    expect(stored.type).toBe(type);
    expect(await metadataOf(stored.bytes)).toMatchObject({ width: 321, height: 123 });
  });

  test('is the first frame of an animation', async () => {
    const frame = (background: string): Promise<Buffer> =>
      sharp({ create: { width: 8, height: 8, channels: 3, background } })
        .png()
        .toBuffer();
    const frames = [await frame('navy'), await frame('white')];
    const sent = await sharp(frames, { join: { animated: true } })
      .webp()
      .toBuffer();
    expect(await metadataOf(sent)).toMatchObject({ pages: 2 });
    const { bytes } = await clean(sent);
    expect(await metadataOf(bytes)).toMatchObject({ width: 8, height: 8, pages: undefined });
    expect(await isDark(bytes, 4, 4)).toBe(true);
  });

  test('has at most a mebibyte', async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 80 } as const;
    const create = { width: 1800, height: 1200, channels: 3, background: 'white', noise } as const;
    const coarse = await sharp({ create }).jpeg({ quality: 40 }).toBuffer();
    const few = await sharp({ create }).greyscale().png({ palette: true, colours: 4 }).toBuffer();
    for (const sent of [coarse, few]) {
      expect(sent.length).toBeLessThanOrEqual(1_048_576);
      expect((await clean(sent)).bytes.length).toBeLessThanOrEqual(1_048_576);
    }
  });
});

/** A PNG whose head states other sides than it has. */
async function claiming(width: number, height: number): Promise<Buffer> {
  const bytes = png(8, 8);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
  return bytes;
}

describe('an upload is refused', () => {
  const garbage = Buffer.alloc(20_000, 'garbage!');

  test.each([
    ['JPEG', jpeg()],
    ['PNG', png()],
    ['WebP', webp()],
  ])('a %s with only a valid head, or only a first part', async (_, picture) => {
    expect(await reasonOf(Buffer.concat([picture.subarray(0, 24), garbage]))).toEqual(unreadable);
    expect(await reasonOf(picture.subarray(0, picture.length / 2))).toEqual(unreadable);
    expect(await reasonOf(picture.subarray(0, 24))).toEqual(unreadable);
  });

  test.each<[string, Buffer]>([
    ['a GIF', Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')],
    [
      'an SVG',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'),
    ],
    ['a mebibyte of zeros', Buffer.alloc(1_048_576)],
    [
      'a mebibyte that fills a JPEG without end',
      Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(1_048_574, 0xff)]),
    ],
  ])('%s', async (_, bytes) => {
    expect(await reasonOf(bytes)).toEqual(unreadable);
  });

  test('a picture that claims too many pixels, before it is decoded', async () => {
    for (const [width, height] of [
      [50_000, 50_000],
      [8_193, 10],
      [8_192, 8_192],
    ] as const)
      expect(await reasonOf(await claiming(width, height))).toEqual(['VALIDATION_ERROR', 'invalid_fields', 'body']);
    expect(await reasonOf(png(8_192, 10))).toBe('accepted');
  });
});

test('when too many pictures wait, further ones are refused and can be sent again', async () => {
  const answers = await Promise.allSettled(Array.from({ length: 66 }, () => clean(jpeg(8, 8))));
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? answer.reason : []));
  expect(refused).toMatchObject([{ reason: 'pictures_in_flight', headers: { 'Retry-After': '1' } }]);
  observeRaw(JSON.stringify(envelopeOf(refused[0])));
});
