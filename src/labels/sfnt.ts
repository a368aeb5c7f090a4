import { inflateSync } from 'node:zlib';

/** Sizes of headers and of the entries of their tables of contents, in bytes. */
const WOFF = { header: 44, entry: 20 } as const;
const SFNT = { header: 12, entry: 16 } as const;

const padded = (length: number): number => Math.ceil(length / 4) * 4;

/**
 * A font as it is without the compression of the web (WOFF 1.0, https://www.w3.org/TR/WOFF/). The library that reads fonts decompresses
 * a table again for each glyph that it is asked for.
 */
export function sfntOf(file: Buffer): Buffer {
  if (file.toString('latin1', 0, 4) !== 'wOFF') return file;
  const count = file.readUInt16BE(12);
  const sfnt = Buffer.alloc(file.readUInt32BE(16));
  file.copy(sfnt, 0, 4, 8);
  sfnt.writeUInt16BE(count, 4);
  let end = SFNT.header + count * SFNT.entry;
  for (let at = 0; at < count; at += 1) {
    const entry = file.subarray(WOFF.header + at * WOFF.entry);
    const [offset, packed, length] = [entry.readUInt32BE(4), entry.readUInt32BE(8), entry.readUInt32BE(12)];
    const bytes = file.subarray(offset, offset + packed);
    (packed < length ? inflateSync(bytes) : bytes).copy(sfnt, end);
    const row = SFNT.header + at * SFNT.entry;
    entry.copy(sfnt, row, 0, 4);
    sfnt.writeUInt32BE(entry.readUInt32BE(16), row + 4);
    sfnt.writeUInt32BE(end, row + 8);
    sfnt.writeUInt32BE(length, row + 12);
    end += padded(length);
  }
  return sfnt;
}
