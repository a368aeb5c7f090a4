import { expect, test } from '@jest/globals';
import { createCanvas } from '@napi-rs/canvas';
import { sizeOf } from '../../src/packages/proof/picture-size.js';
import { jpeg, png, webp } from '../support/pictures.js';

const canvas = createCanvas(321, 123);
canvas.getContext('2d').fillRect(20, 20, 50, 50);
const size = { width: 321, height: 123 };

test.each([
  ['image/jpeg', canvas.toBuffer('image/jpeg')],
  ['image/png', canvas.toBuffer('image/png')],
  // Lossless at 100.
  ['image/webp', canvas.toBuffer('image/webp', 100)],
  ['image/webp', canvas.toBuffer('image/webp', 50)],
])('a picture that a real encoder made: %s', (type, bytes) => {
  expect(sizeOf(bytes)).toEqual({ type, ...size });
});

test('heads of all kinds', () => {
  expect([jpeg(7, 9), png(7, 9), webp(7, 9)].map((bytes) => sizeOf(bytes))).toEqual(
    ['image/jpeg', 'image/png', 'image/webp'].map((type) => ({ type, width: 7, height: 9 })),
  );
});

test('every part of a head, and what only looks like one, is no picture', () => {
  const heads = [jpeg(), png(), webp()].map((bytes) => bytes.subarray(0, -2));
  for (const head of heads)
    for (let length = 0; length < head.length - 8; length += 1)
      expect(sizeOf(head.subarray(0, length))).toBeUndefined();
  expect(sizeOf(Buffer.from('<svg width="1" height="1"></svg>'.repeat(9)))).toBeUndefined();
  expect(sizeOf(Buffer.concat([Buffer.from('RIFF0000WEBPVP8 '), Buffer.alloc(40)]))).toBeUndefined();
  // A scan before any frame.
  expect(sizeOf(Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xda]), jpeg()]))).toBeUndefined();
});

const MEBIBYTE = 1_048_576;

/** A mebibyte that begins as a JPEG and goes on with these bytes, over and over. */
const endless = (...unit: number[]): Buffer => {
  const bytes = Buffer.alloc(MEBIBYTE, Buffer.from(unit));
  bytes.set([0xff, 0xd8]);
  return bytes;
};

/** The bytes, and how often they were read so far; reading without end throws. */
function counted(bytes: Buffer, most: number) {
  let count = 0;
  const observed = new Proxy(bytes, {
    get: (_, name) => {
      count += 1;
      if (count > most) throw new Error(`read more than ${most} times`);
      const value: unknown = Reflect.get(bytes, name);
      return typeof value === 'function' ? value.bind(bytes) : value;
    },
  });
  return { observed, reads: () => count };
}

test.each([
  ['fill bytes', endless(0xff)],
  ['the shortest segments', endless(0xff, 0xe1, 0, 2)],
  ['segments of no length', endless(0xff, 0xe1, 0, 0)],
  ['zeros', endless(0)],
])('a mebibyte of %s is gone through once', (_, bytes) => {
  // The length, and each byte twice: as the marker, and before one.
  const { observed, reads } = counted(bytes, 4 * MEBIBYTE);
  expect(sizeOf(observed)).toBeUndefined();
  expect(reads()).toBeGreaterThan(0);
});
