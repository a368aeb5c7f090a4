/** Columns of 32-bit integers and lists of names as bytes, which src/routing/places/columns.ts reads. */

/** The differences of neighbours, small ones as small numbers whatever their sign; all lowest bytes come first. */
export function packedColumn(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  let before = 0;
  values.forEach((value, i) => {
    const difference = (value - before) | 0;
    const folded = (difference << 1) ^ (difference >> 31);
    for (let plane = 0; plane < 4; plane++) bytes[plane * values.length + i] = (folded >>> (8 * plane)) & 255;
    before = value;
  });
  return withLength(values.length, bytes);
}

export function packedNames(names: readonly string[]): Buffer {
  const bytes = Buffer.from(names.join('\n'));
  return withLength(bytes.length, bytes);
}

function withLength(length: number, bytes: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(length);
  return Buffer.concat([head, bytes]);
}
