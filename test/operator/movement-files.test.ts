import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { csvRecords } from '../../src/operator/cli/csv.js';
import { checkMovement, type MovementInput } from '../../src/operator/cli/movement-check.js';
import { type ImportSummary, importMovements } from '../../src/operator/cli/movement-import.js';
import { type MovementFormat, movementRows } from '../../src/operator/cli/movement-rows.js';

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of source) found.push(each);
  return found;
}

async function* chunks(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

const rowsOf = (text: string, format: MovementFormat) => all(movementRows(Readable.from([text]), format));

describe('CSV', () => {
  test.each([
    [
      'plain cells',
      'a,b\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['no last line break', 'a,b', [['a', 'b']]],
    ['CRLF and empty lines', 'a\r\n\r\nb\r\n', [['a'], ['b']]],
    ['quotes, commas and line breaks in quotes', '"a ""b"", c","d\ne"\n', [['a "b", c', 'd\ne']]],
    ['empty cells', ',,\n', [['', '', '']]],
    ['a byte order mark', '\uFEFFa\n', [['a']]],
  ])('reads %s', async (_what, text, expected) => {
    expect((await all(csvRecords(chunks(text, 3)))).map(({ cells }) => cells)).toEqual(expected);
  });

  test('names the line that a record begins on', async () => {
    expect((await all(csvRecords(chunks('a\n"b\nb"\n\nc\n', 2)))).map(({ line }) => line)).toEqual([1, 2, 5]);
  });

  test('gives back what was written, however it is cut', async () => {
    const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
    const table = fc.array(fc.array(fc.string({ unit: 'grapheme', maxLength: 8 }), { minLength: 2, maxLength: 5 }), {
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 1, max: 7 }), async (records, size) => {
        const text = records.map((cells) => `${cells.map(quoted).join(',')}\n`).join('');
        const pieces = all(csvRecords(chunks(text, size)));
        expect((await pieces).map(({ cells }) => cells)).toEqual(records);
      }),
    );
  });
});

describe('rows', () => {
  test('of CSV nest dotted columns, leave out empty cells and read the status as a number', async () => {
    const text = 'loggi_key,status_code,location.city,location.state,pickup_agency.city\nk,3,Santos,SP,\n';
    expect(await rowsOf(text, 'csv')).toEqual([
      { line: 2, value: { loggi_key: 'k', status_code: 3, location: { city: 'Santos', state: 'SP' } } },
    ]);
  });

  test('of CSV need headings', async () => {
    await expect(rowsOf('k,3\n', 'csv')).rejects.toMatchObject({ exitCode: 2 });
  });

  test('of NDJSON are unreadable where they are not JSON', async () => {
    expect(await rowsOf('{"a":1}\n\n{"a"\n', 'ndjson')).toEqual([
      { line: 1, value: { a: 1 } },
      { line: 3, value: undefined },
    ]);
  });
});

const valid = { loggi_key: randomUUID(), status_code: 3, happened_at: '2026-11-20T14:03:21.123456-03:00' };

describe('a movement', () => {
  test('without an id gets one that follows from its content', () => {
    const [one, same] = [checkMovement(valid), checkMovement({ ...valid })];
    expect(one).toEqual(same);
    expect(checkMovement({ ...valid, status_code: 5 })).not.toMatchObject(one);
  });

  test.each([
    [undefined, 'is not a movement'],
    [{ ...valid, status_code: 'x' }, 'status_code'],
    [{ ...valid, happened_at: '20/11/2026' }, 'happened_at'],
    [{ ...valid, location: { city: 'Santos' } }, 'location'],
    [{ ...valid, colour: 'red' }, 'colour'],
  ])('like %j is held against the contract', (value, fault) => {
    expect(checkMovement(value)).toEqual({ fault: expect.stringContaining(fault) });
  });
});

test('an import sends batches of 500 in order and counts what became of each', async () => {
  async function* rows() {
    for (let line = 1; line <= 1201; line++)
      yield { line, value: line === 7 ? undefined : { ...valid, id: randomUUID() } };
  }
  const batches: number[] = [];
  const send = async (movements: MovementInput[]) => {
    batches.push(movements.length);
    return movements.map(({ id }, at) => ({ id, result: at === 0 ? ('duplicate' as const) : ('recorded' as const) }));
  };
  const seen: number[] = [];
  const progress = ({ recorded }: ImportSummary) => void seen.push(recorded);
  const summary = await importMovements(rows(), { send, progress });
  expect(batches).toEqual([500, 500, 200]);
  expect(seen).toEqual([499, 998, 1197]);
  expect(summary).toEqual({
    recorded: 1197,
    duplicate: 3,
    refused: 1,
    refusals: [{ line: 7, code: 'VALIDATION_ERROR', message: 'is not a movement' }],
  });
});
