/** Pictures of which only the head is one: nothing here looks at more. */

const bytes = (...parts: (string | number[] | Buffer)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

function numbers(width: number, values: readonly number[], isBigEndian = true): Buffer {
  const buffer = Buffer.alloc(width * values.length);
  for (const [at, value] of values.entries()) {
    if (isBigEndian) buffer.writeUIntBE(value, at * width, width);
    else buffer.writeUIntLE(value, at * width, width);
  }
  return buffer;
}

/** As the body of a request. */
export const blobOf = (picture: Uint8Array, type = 'application/octet-stream'): Blob =>
  new Blob([Uint8Array.from(picture)], { type });

/** `size` in bytes, if it is larger than the head. */
export function png(width = 640, height = 480, size = 0): Buffer {
  const head = bytes('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', numbers(4, [width, height]), [8, 2, 0, 0, 0]);
  return Buffer.concat([head, Buffer.alloc(Math.max(0, size - head.length))]);
}

export const jpeg = (width = 640, height = 480): Buffer =>
  bytes(
    [0xff, 0xd8, 0xff, 0xe0, 0, 16],
    'JFIF\0',
    [1, 1, 0, 0, 1, 0, 1, 0, 0],
    [0xff, 0xc0, 0, 11, 8],
    numbers(2, [height, width]),
    [1, 1, 0x11, 0],
    [0xff, 0xd9],
  );

export const webp = (width = 640, height = 480): Buffer =>
  bytes('RIFF', [22, 0, 0, 0], 'WEBPVP8X', [10, 0, 0, 0, 0, 0, 0, 0], numbers(3, [width - 1, height - 1], false));
