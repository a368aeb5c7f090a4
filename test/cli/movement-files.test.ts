import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type ImportSummary,
  importMovements,
  type MovementInput,
  reader,
} from '../../src/cli/remote/movement-import.js';
import type { MovementFormat, MovementRow } from '../../src/files/movement-rows.js';
import { faultsText } from '../../src/files/movement-rows.js';
import { csvRecords, FileError } from '../../src/files/text-file.js';

const rowsIn = (source: Readable, format: MovementFormat, maxEmpty?: number) =>
  reader.rows(source, format, () => undefined, maxEmpty);
const all = <T>(source: AsyncIterable<T>): Promise<T[]> => Readable.from(source).toArray();

/** A file of the head and `most` times the piece. It counts the pieces that were read. */
function longFile(head: string, piece: string, most = 1000) {
  const taken = { pieces: 0, source: Readable.from(content()) };
  async function* content() {
    yield head;
    for (; taken.pieces < most; taken.pieces += 1) yield piece;
  }
  return taken;
}

/** Reads a file in pieces of `size` bytes. Resolves to its rows and to the messages about it. */
async function read(file: string | Buffer, format: MovementFormat, size = 7) {
  const bytes = Buffer.from(file);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  const sentences: string[] = [];
  const rows = await all(reader.rows(Readable.from(pieces), format, (sentence) => void sentences.push(sentence)));
  return { rows, sentences };
}
const rowsOf = async (file: string | Buffer, format: MovementFormat) => (await read(file, format)).rows;

const HEAD = 'loggi_key,status_code,location.city';
const cities = (rows: MovementRow[]) =>
  rows.map((row) => ('fault' in row ? row.fault : Object(Object(row.value).location).city));
const refusal = (file: string | Buffer, format: MovementFormat = 'csv') =>
  rowsOf(file, format).then(
    () => 'read',
    (error: unknown) => (error instanceof FileError ? error.message : error),
  );

describe('rows of CSV', () => {
  test('nest dotted columns, leave out empty cells and read the status as a number', async () => {
    const text = 'loggi_key,status_code,location.city,location.state,pickup_agency.city\nk,3,Santos,SP,\n';
    const value = { loggi_key: 'k', status_code: 3, location: { city: 'Santos', state: 'SP' } };
    expect(await rowsOf(text, 'csv')).toEqual([{ line: 2, value }]);
  });

  test('can have an attempt and expected hours, and name a wrong one', async () => {
    const head = 'barcode,status_code,happened_at,attempt.outcome,attempt.next_on,expected.from,expected.to\n';
    const line =
      '378912345678901232,18,2026-11-27T17:20:00Z,absent,2026-11-30,2026-11-30T12:00:00Z,2026-11-30T16:00:00Z\n';
    const [row, wrong] = await rowsOf(`${head}${line}${line.replace('absent', 'gone')}`, 'csv');
    const checked = row && 'value' in row ? check(row.value) : row;
    expect(checked).toMatchObject({
      movement: {
        attempt: { outcome: 'absent', next_on: '2026-11-30' },
        expected: { from: '2026-11-30T12:00:00Z', to: '2026-11-30T16:00:00Z' },
      },
    });
    const fault = wrong && 'value' in wrong ? check(wrong.value) : wrong;
    expect(fault).toEqual({ fault: expect.stringContaining('attempt.outcome must be one of') });
  });

  test.each([
    ['no last line break', `${HEAD}\nk,3,Santos`, ['Santos']],
    ['CRLF and empty lines', `${HEAD}\r\n\r\nk,3,Santos\r\n`, ['Santos']],
    ['line breaks of several kinds', `${HEAD}\r\nk,3,Santos\nk,3,Itu\r\n`, ['Santos', 'Itu']],
    ['quotes, commas and line breaks in quotes', `${HEAD}\nk,3,"a ""b"", c\r\nd"\n`, ['a "b", c\r\nd']],
    ['accents', `${HEAD}\nk,3,São Paulo\n`, ['São Paulo']],
  ])('are read with %s', async (_what, text, expected) => {
    expect(cities(await rowsOf(text, 'csv'))).toEqual(expected);
  });

  test('name the line that a record begins on', async () => {
    const text = `${HEAD}\nk,3,"b\r\nb\nb"\n\nk,3,c\nk,3,d\n`;
    expect((await rowsOf(text, 'csv')).map(({ line }) => line)).toEqual([2, 6, 7]);
  });

  test('are read back as they were written, in pieces of any size', async () => {
    const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
    const texts = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 7 }), async (names, size) => {
        const text = `${HEAD}\n${names.map((name) => `k,3,${quoted(name)}\n`).join('')}`;
        expect(cities((await read(text, 'csv', size)).rows)).toEqual(names);
      }),
    );
  });

  test('are refused by row and column when they are not UTF-8, and the other rows are read', async () => {
    const latin1 = Buffer.from(`${HEAD}\nk,3,Santos\nk,3,São Paulo\nk,3,Itu\n`, 'latin1');
    expect(await rowsOf(latin1, 'csv')).toMatchObject([
      { line: 2, value: { location: { city: 'Santos' } } },
      { line: 3, fault: expect.stringContaining('column 3 (location.city) is not UTF-8') },
      { line: 4, value: { location: { city: 'Itu' } } },
    ]);
  });

  test('may come from a Brazilian spreadsheet with a byte order mark and semicolons, and the command says so', async () => {
    const file = `\uFEFF${HEAD.replaceAll(',', ';')}\r\nk;3;"São Paulo; capital"\r\nk;3;Santos, SP\r\n`;
    const { rows, sentences } = await read(file, 'csv');
    expect(cities(rows)).toEqual(['São Paulo; capital', 'Santos, SP']);
    expect(sentences).toEqual(['The file is read as CSV with a byte order mark, columns separated by semicolons.']);
    expect((await read(`${HEAD}\nk,3,a;b\n`, 'csv')).sentences).toEqual([]);
  });

  test('are refused when they have another number of columns than the first row', async () => {
    expect(await rowsOf(`${HEAD}\nk,3\nk,3,Itu\nk,3,Itu,SP\n`, 'csv')).toMatchObject([
      { line: 2, fault: 'has 2 columns where the first row has 3' },
      { line: 3, value: { loggi_key: 'k' } },
      { line: 4, fault: 'has 4 columns where the first row has 3' },
    ]);
  });

  test.each([
    ['no headings', 'k,3\n', /^Row 1, column 1 .*loggi_key, tracking_code, barcode, status_code/],
    ['an unknown heading', `${HEAD},colour\n`, /^Row 1, column 4 is no field of a movement/],
    ['a heading twice', `${HEAD},loggi_key\n`, /^Row 1, column 4 stands there twice/],
    ['no package', 'status_code\n3\n', /^.*loggi_key/],
    ['a quote that is never closed', `${HEAD}\nk,3,a\nk,3,"b\nk,3,c\n`, /^Row 3: a quote is not closed/],
    ['a quote within a cell', `${HEAD}\nk,3,a"b\n`, /^Row 2: a quote stands within a cell/],
    ['text after a closing quote', `${HEAD}\nk,3,"a"b\n`, /^Row 2: text follows a closing quote/],
    ['a row of 65 KiB', `${HEAD}\nk,3,"${'x'.repeat(66_560)}"\n`, /^Row 2 is longer than 64 KiB/],
    ['UTF-16', Buffer.from(`\uFEFF${HEAD}\nk,3,a\n`, 'utf16le'), /^The file is UTF-16/],
    ['UTF-16 of the other order', Buffer.from(`\uFEFF${HEAD}\n`, 'utf16le').swap16(), /^The file is UTF-16/],
  ])('are refused with %s', async (_what, file, message) => {
    expect(await refusal(file)).toMatch(message);
  });

  test('before a broken row are read, and rows after it are not', async () => {
    const rows: MovementRow[] = [];
    const broken = `${HEAD}\nk,3,a\nk,3,b\nk,3,"c"d\nk,3,e\n`;
    const reading = (async () => {
      for await (const row of rowsIn(Readable.from([broken]), 'csv')) rows.push(row);
    })();
    await expect(reading).rejects.toThrow('Row 4: text follows a closing quote.');
    expect(cities(rows)).toEqual(['a', 'b']);
  });

  test.each([
    ['a quote that swallows the rest', `k,3,"${'x\n'.repeat(500)}`],
    ['a row without an end', 'k,3,'],
    ['cells without an end', ','],
  ])('are not read any further after %s', async (_what, text) => {
    const file = longFile(`${HEAD}\nk,3,a\n`, text.repeat(Math.ceil(1000 / text.length)));
    await expect(all(rowsIn(file.source, 'csv'))).rejects.toThrow('Row 3');
    expect(file.pieces).toBeLessThan(200);
  });

  test('are parsed piece by piece, and never ahead of a slow reader', async () => {
    let taken = 0;
    async function* pieces() {
      for (yield Buffer.from('a,b\n'); ; taken += 1) yield Buffer.from(',\n'.repeat(50));
    }
    const text = { hasByteOrderMark: false, head: Buffer.from('a,b'), chunks: pieces() };
    const records = csvRecords(text, ',', 0);
    await records.next();
    for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
    expect(taken).toBeLessThan(5);
    await records.return(undefined);
  });

  test('are read as they come, in any number', async () => {
    const file = longFile(`${HEAD}\n`, 'k,3,Santos\n'.repeat(1000), Number.POSITIVE_INFINITY);
    let readCount = 0;
    for await (const _row of rowsIn(file.source, 'csv')) {
      readCount += 1;
      if (readCount === 20_000) break;
    }
    expect(file.pieces).toBeLessThan(70);
  });
});

describe('rows of NDJSON', () => {
  test('are refused when they are not JSON', async () => {
    expect(await rowsOf('{"a":1}\n\n{"a"\n', 'ndjson')).toEqual([
      { line: 1, value: { a: 1 } },
      { line: 3, value: undefined },
    ]);
  });

  test('may have a byte order mark, CRLF and no last line break', async () => {
    expect(await rowsOf('\uFEFF{"a":"ção"}\r\n{"a":2}', 'ndjson')).toEqual([
      { line: 1, value: { a: 'ção' } },
      { line: 2, value: { a: 2 } },
    ]);
  });

  test('are refused when they are not UTF-8, and the other rows are read', async () => {
    const latin1 = Buffer.from('{"a":1}\n{"a":"São"}\n{"a":2}\n', 'latin1');
    expect(await rowsOf(latin1, 'ndjson')).toEqual([
      { line: 1, value: { a: 1 } },
      { line: 2, fault: expect.stringContaining('is not UTF-8') },
      { line: 3, value: { a: 2 } },
    ]);
  });

  test('are refused in UTF-16 and above 64 KiB', async () => {
    expect(await refusal(Buffer.from('\uFEFF{}\n', 'utf16le'), 'ndjson')).toMatch(/^The file is UTF-16/);
    expect(await refusal(`{}\n{"a":"${'x'.repeat(66_560)}"}\n`, 'ndjson')).toMatch(/^Row 2 is longer than 64 KiB/);
  });
});

describe('a large file', () => {
  /** The turns of the event loop while a complete file, like an upload, is read and checked. */
  async function turnsOf(file: string, format: MovementFormat): Promise<number> {
    let [turns, isReading] = [0, true];
    const count = () => {
      turns += 1;
      if (isReading) setImmediate(count);
    };
    setImmediate(count);
    for await (const row of rowsIn(Readable.from([Buffer.from(file)]), format)) {
      if ('value' in row) check(row.value);
    }
    isReading = false;
    return turns;
  }
  const KIB = 1024;

  test.each([
    ['empty lines', 'ndjson', '\n'.repeat(256 * KIB)],
    ['empty lines', 'csv', `${HEAD}\n${'\r\n'.repeat(128 * KIB)}`],
    ['long rows', 'ndjson', `{"a":"${'x'.repeat(32 * KIB)}"}\n`.repeat(8)],
    ['cells', 'csv', `${HEAD}\n${`${','.repeat(32 * KIB)}\n`.repeat(8)}`],
  ] as const)('of %s, %s, is read a few KiB in each turn of the event loop', async (_what, format, file) => {
    expect(await turnsOf(file, format)).toBeGreaterThanOrEqual(file.length / (8 * KIB));
  });

  test.each([
    ['ndjson', '{}\n'.repeat(5_000)],
    ['csv', `loggi_key\n${'k\n'.repeat(5_000)}`],
  ] as const)('of short rows, %s, is read a hundred rows in each', async (format, file) => {
    expect(await turnsOf(file, format)).toBeGreaterThanOrEqual(50);
  });

  test.each([
    ['ndjson', '{}\n'],
    ['csv', `${HEAD}\nk,3,Itu\n`],
  ] as const)('may have so many empty lines, %s, and is not read far beyond them', async (format, head) => {
    expect(await all(rowsIn(Readable.from([head + '\n'.repeat(50)]), format, 50))).toHaveLength(1);
    const file = longFile(head, '\n'.repeat(1000));
    await expect(all(rowsIn(file.source, format, 5_000))).rejects.toThrow('The file has more than 5000 empty lines.');
    expect(file.pieces).toBeLessThan(200);
  });

  test('is not parsed at lines with too deep nesting, too many values or too many faults', async () => {
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    const wide = `{"location":[${'{},'.repeat(20_000)}{}]}`;
    const long = `{"status_code":${'9'.repeat(60_000)}}`;
    expect(await rowsOf(`${deep}\n${wide}\n${long}\n`, 'ndjson')).toEqual([
      { line: 1, value: undefined },
      { line: 2, fault: expect.stringMatching(/^holds more than \d+ values$/) },
      { line: 3, value: undefined },
    ]);
    const strangers = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`a${at}`, 1]));
    const checked = check({ ...valid, ...strangers });
    expect('fault' in checked && checked.fault.split('; ')).toHaveLength(10);
  });
});

/** The movement of a value, or its errors in one line. */
function check(value: unknown) {
  const checked = reader.check(value);
  return 'faults' in checked ? { fault: faultsText(checked.faults) } : checked;
}

const valid = { loggi_key: randomUUID(), status_code: 3, happened_at: '2026-11-20T14:03:21.123456-03:00' };

describe('a movement', () => {
  test('without an id gets one that follows from its content', () => {
    const [one, same] = [check(valid), check({ ...valid })];
    expect(one).toEqual(same);
    expect(check({ ...valid, status_code: 5 })).not.toMatchObject(one);
  });

  test('must name its package in exactly one way', () => {
    const facts = { status_code: 3, happened_at: '2026-11-18T14:03:21Z' };
    expect(check({ ...facts, barcode: '378912345678901232' })).toMatchObject({ movement: facts });
    const fault = expect.stringContaining('must have one of loggi_key, tracking_code, barcode');
    expect(check(facts)).toEqual({ fault });
    expect(check({ ...facts, barcode: '378912345678901232', tracking_code: '7ZK3M9P2QP1S' })).toEqual({ fault });
  });

  test('names the error of a field once', () => {
    const checked = check({ ...valid, location: { city: 'a\0b', state: 'SP' } });
    expect(checked).toEqual({ fault: 'location.city must be valid Unicode text without NUL' });
  });

  test.each([
    [undefined, 'is not a movement'],
    [{ ...valid, status_code: 'x' }, 'status_code'],
    [{ ...valid, happened_at: '20/11/2026' }, 'happened_at'],
    [{ ...valid, location: { city: 'Santos' } }, 'location'],
    [{ ...valid, colour: 'red' }, 'colour'],
  ])('is checked by the contract: %j', (value, fault) => {
    expect(check(value)).toEqual({ fault: expect.stringContaining(fault) });
  });
});

test('an import sends batches of 500 in order and counts the outcomes', async () => {
  async function* rows() {
    for (let line = 1; line <= 1202; line++)
      yield line === 9
        ? { line, fault: 'is not UTF-8' }
        : { line, value: line === 7 ? undefined : { ...valid, id: randomUUID() } };
  }
  const batches: number[] = [];
  const send = async (movements: MovementInput[]) => {
    batches.push(movements.length);
    return movements.map(({ id }, at) => ({ id, result: at === 0 ? ('duplicate' as const) : ('recorded' as const) }));
  };
  const progressCounts: number[] = [];
  const progress = ({ recorded }: ImportSummary) => void progressCounts.push(recorded);
  const summary = await importMovements(rows(), { send, progress });
  expect(batches).toEqual([500, 500, 200]);
  expect(progressCounts).toEqual([499, 998, 1197]);
  expect(summary).toEqual({
    recorded: 1197,
    duplicate: 3,
    refused: 2,
    refusals: [
      { line: 7, code: 'VALIDATION_ERROR', message: 'is not a movement' },
      { line: 9, code: 'VALIDATION_ERROR', message: 'is not UTF-8' },
    ],
  });
});
