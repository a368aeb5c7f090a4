import type { Readable } from 'node:stream';
import { wrongUsage } from './failures.js';

/** A file that is read piece by piece, in which no line is too long. */
export interface TextBytes {
  hasByteOrderMark: boolean;
  /** Its first bytes, which hold the first line where that is not empty. */
  head: Buffer;
  /** All of it, without the byte order mark. */
  chunks: AsyncGenerator<Buffer>;
}

/** Bytes. A movement has less than 8 KiB. */
export const LONGEST_ROW = 65_536;

export const tooLong = (row: number): string => `Row ${row} is longer than ${LONGEST_ROW / 1024} KiB.`;

const byteOrderMark = Buffer.from('\uFEFF');
const LINE_FEED = 0x0a;

/** Looks at the first bytes of a file that should be UTF-8. Throws wrong usage for UTF-16. */
export async function openText(input: Readable): Promise<TextBytes> {
  const source = boundedLines(input);
  const pieces: Buffer[] = [];
  for (let ended = false; !ended; ) {
    const { value, done } = await source.next();
    if (value) pieces.push(value);
    ended = done === true || value.includes(LINE_FEED);
  }
  const start = Buffer.concat(pieces);
  // No text of these formats holds a zero byte; half of the bytes of UTF-16 are zero.
  if (start.includes(0)) throw wrongUsage('The file is UTF-16, or is no text. Save it as UTF-8.');
  const hasByteOrderMark = start.subarray(0, byteOrderMark.length).equals(byteOrderMark);
  const head = hasByteOrderMark ? start.subarray(byteOrderMark.length) : start;
  async function* chunks() {
    yield head;
    yield* source;
  }
  return { hasByteOrderMark, head, chunks: chunks() };
}

/** The input's bytes. Throws wrong usage as soon as a line is too long. */
async function* boundedLines(input: Readable): AsyncGenerator<Buffer, undefined> {
  let [line, length] = [1, 0];
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk);
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(LINE_FEED, start);
      length += (end < 0 ? bytes.length : end) - start;
      if (length > LONGEST_ROW) throw wrongUsage(tooLong(line));
      if (end < 0) break;
      [line, length, start] = [line + 1, 0, end + 1];
    }
    yield bytes;
  }
}

/** The lines of a file, without their line feeds. */
export async function* linesOf({ chunks }: TextBytes): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      yield bytes.subarray(start, end);
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
  yield rest;
}
