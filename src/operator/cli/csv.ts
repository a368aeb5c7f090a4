import { pipeline, Readable } from 'node:stream';
import { type CsvError, type Options, parse } from 'csv-parse';
import { wrongUsage } from './failures.js';
import { LONGEST_ROW, tooLong } from './text-bytes.js';

/** A record of a CSV file in bytes, and the line that it begins on. */
export interface CsvRecord {
  line: number;
  cells: Buffer[];
}

// One character for each byte, so that bytes which are not UTF-8 are seen and the size is one of bytes.
const ENCODING = 'latin1';
const options: Options = {
  encoding: ENCODING,
  info: true,
  max_record_size: LONGEST_ROW,
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  skip_empty_lines: true,
  skip_records_with_error: true,
};

interface Parsed {
  record: string[];
  info: { lines: number; records: number };
}

/**
 * Reads CSV as RFC 4180 has it, with any line break; lines of no text are skipped. Throws wrong usage with the row's number where
 * quotes are unbalanced or a record is too long, after the records before it: where the next one begins cannot be known.
 */
export async function* csvRecords(chunks: AsyncIterable<Buffer>, delimiter: ',' | ';'): AsyncGenerator<CsvRecord> {
  const broken: CsvError[] = [];
  async function* untilBroken() {
    for await (const chunk of chunks) {
      if (broken.length > 0) return;
      yield chunk;
    }
  }
  const parser = parse({ ...options, delimiter, on_skip: (error) => void (error && broken.push(error)) });
  pipeline(Readable.from(untilBroken()), parser, () => undefined);
  const lines = lineCounter();
  const records: AsyncIterable<Parsed> = parser;
  for await (const parsed of records) {
    // The parser reads ahead, and goes on after a fault.
    const [fault] = broken;
    if (fault && parsed.info.records > Number(fault['records'])) break;
    yield { line: lines.of(parsed), cells: parsed.record.map((cell) => Buffer.from(cell, ENCODING)) };
  }
  if (broken[0]) throw wrongUsage(reasonOf(broken[0], lines.next()));
}

/** Tells the line that each record begins on: the parser counts to its end, and CRLF inside quotes as two. */
function lineCounter() {
  let doubled = 0;
  let next = 1;
  const count = (cells: readonly string[], pattern: RegExp) =>
    cells.reduce((sum, cell) => sum + (cell.match(pattern)?.length ?? 0), 0);
  return {
    of({ record, info }: Parsed): number {
      const line = info.lines - count(record, /[\r\n]/g) - doubled;
      doubled += count(record, /\r\n/g);
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
    INVALID_OPENING_QUOTE: 'a quote stands within a cell that has none around it.',
    CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote.',
  };
  return `Row ${row}: ${reasons[code] ?? message}`;
}
