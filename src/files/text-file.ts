import { pipeline, Readable, type TransformOptions } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { type CsvError, type Options, parse } from 'csv-parse';

/** Thrown if no row can be read, or no further row. The message is one line for a person. */
export class FileError extends Error {
  override name = 'FileError';
}

/** A file that is read in pieces. No line in it is too long. */
export interface TextFile {
  hasByteOrderMark: boolean;
  /** The first bytes. They have the first line, unless that is empty. */
  head: Buffer;
  /** The whole file, without the byte order mark. */
  chunks: AsyncGenerator<Buffer>;
}

/** Most bytes of a line. A movement has less than 8 KiB. */
const MAX_ROW_LENGTH = 65_536;
/** Bytes per turn of the event loop, so that other requests are answered meanwhile: 256 rows of one comma. */
const SLICE = 512;

const tooLong = (row: number): string => `Row ${row} is longer than ${MAX_ROW_LENGTH / 1024} KiB.`;

const byteOrderMark = Buffer.from('\uFEFF');
const LINE_FEED = 0x0a;

/** Opens a file that should be UTF-8, by its first bytes. Throws FileError for UTF-16. */
export async function openText(input: Readable): Promise<TextFile> {
  const source = boundedLines(slicesOf(input));
  const pieces: Buffer[] = [];
  for (let hasLine = false; !hasLine; ) {
    const { value, done } = await source.next();
    if (value) pieces.push(value);
    hasLine = done === true || value.includes(LINE_FEED);
  }
  const start = Buffer.concat(pieces);
  // A text of these formats never has a zero byte; in UTF-16 half of the bytes are zero.
  if (start.includes(0)) throw new FileError('The file is UTF-16, or is not text. Save it as UTF-8.');
  const hasByteOrderMark = start.subarray(0, byteOrderMark.length).equals(byteOrderMark);
  const head = hasByteOrderMark ? start.subarray(byteOrderMark.length) : start;
  async function* chunks() {
    yield head;
    yield* source;
  }
  return { hasByteOrderMark, head, chunks: chunks() };
}

/** Reads the input's bytes, one slice per turn of the event loop. */
async function* slicesOf(input: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk);
    for (let start = 0; start < bytes.length; start += SLICE) {
      yield bytes.subarray(start, start + SLICE);
      await setImmediate();
    }
  }
}

/** Reads the input's bytes. Throws FileError as soon as a line is too long. */
async function* boundedLines(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer, undefined> {
  let [line, length] = [1, 0];
  for await (const bytes of input) {
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(LINE_FEED, start);
      length += (end < 0 ? bytes.length : end) - start;
      if (length > MAX_ROW_LENGTH) throw new FileError(tooLong(line));
      if (end < 0) break;
      [line, length, start] = [line + 1, 0, end + 1];
    }
    yield bytes;
  }
}

const tooManyEmpty = (max: number): FileError => new FileError(`The file has more than ${max} empty lines.`);

const SPACE = 0x20;

function isEmpty(bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at < end && (bytes[at] ?? 0) <= SPACE) at += 1;
  return at === end;
}

/** Reads the lines that are not empty, without line feeds. Throws FileError if more than `maxEmpty` lines are empty. */
export async function* linesOf(
  { chunks }: TextFile,
  maxEmpty: number,
): AsyncGenerator<{ line: number; bytes: Buffer }> {
  let [line, emptyCount] = [0, 0];
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      line += 1;
      if (isEmpty(bytes, start, end)) emptyCount += 1;
      else yield { line, bytes: bytes.subarray(start, end) };
      if (emptyCount > maxEmpty) throw tooManyEmpty(maxEmpty);
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
  if (!isEmpty(rest, 0, rest.length)) yield { line: line + 1, bytes: rest };
}

// One character per byte. So sizes are in bytes, and bytes that are not UTF-8 can be found.
const ENCODING = 'latin1';
export const cellBytes = (cell: string): Buffer => Buffer.from(cell, ENCODING);

// The parser gets a slice only after the last one is parsed. Waiting slices would all be parsed in one turn.
const options: Options & Pick<TransformOptions, 'writableHighWaterMark'> = {
  writableHighWaterMark: 1,
  encoding: ENCODING,
  info: true,
  max_record_size: MAX_ROW_LENGTH,
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  skip_empty_lines: true,
  skip_records_with_error: true,
};

interface ParsedRecord {
  record: string[];
  info: { lines: number; records: number };
}

/**
 * Reads the records of CSV (RFC 4180), without empty lines. `line` is the line on which a record begins. Throws
 * FileError with the row's number, after the records before it.
 */
export async function* csvRecords(
  { chunks }: TextFile,
  delimiter: ',' | ';' | '\t',
  maxEmpty: number,
): AsyncGenerator<{ line: number; cells: readonly string[] }> {
  const faults: CsvError[] = [];
  async function* untilFault() {
    for await (const chunk of chunks) {
      if (faults.length > 0) return;
      if (parser.info.empty_lines > maxEmpty) throw tooManyEmpty(maxEmpty);
      yield chunk;
    }
  }
  const parser = parse({ ...options, delimiter, on_skip: (error) => void (error && faults.push(error)) });
  pipeline(Readable.from(untilFault(), { highWaterMark: 1 }), parser, () => undefined);
  const lines = lineCounter();
  const records: AsyncIterable<ParsedRecord> = parser;
  for await (const parsed of records) {
    // The parser reads ahead, and goes on after an error.
    const [fault] = faults;
    if (fault && parsed.info.records > Number(fault['records'])) break;
    yield { line: lines.of(parsed), cells: parsed.record };
  }
  const [fault] = faults;
  if (fault) throw new FileError(reasonOf(fault, lines.next()));
}

/**
 * Computes the line on which each record begins. The parser counts up to its end, and counts CRLF inside quotes as two.
 */
function lineCounter() {
  let doubled = 0;
  let next = 1;
  const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return {
    of({ record, info }: ParsedRecord): number {
      const text = record.join(',');
      const line = info.lines - count(text, /[\r\n]/g) - doubled;
      doubled += count(text, /\r\n/g);
      next = info.lines - doubled + 1;
      return line;
    },
    next: () => next,
  };
}

function reasonOf({ code, message }: CsvError, row: number): string {
  if (code === 'CSV_MAX_RECORD_SIZE') return tooLong(row);
  const reasons: Partial<Record<string, string>> = {
    CSV_QUOTE_NOT_CLOSED: 'a quote is not closed.',
    INVALID_OPENING_QUOTE: 'a quote stands within a cell that is not quoted.',
    CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote.',
  };
  return `Row ${row}: ${reasons[code] ?? message}`;
}
