import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.js';
import { together } from '../../src/db/read-together.js';
import { createDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

let sent: (readonly number[])[] = [];
beforeEach(() => {
  sent = [];
});

/** Doubles numbers, in the given seconds. */
const doubling =
  (seconds = 0) =>
  async (db: Db, keys: readonly number[]): Promise<number[]> => {
    sent.push(keys);
    const { rows } = await sql<{ doubled: number }>`
      select 2 * key as doubled, pg_sleep(${seconds}) from unnest(${keys}::integer[]) with ordinality as _ (key, at)
      order by at`.execute(db);
    return rows.map(({ doubled }) => doubled);
  };

test('what is asked for in one turn is read by one statement, each answer to its asker', async () => {
  const double = together(doubling());
  expect(await Promise.all([3, 1, 2].map((key) => double(database.db, key)))).toEqual([6, 2, 4]);
  expect(await double(database.db, 5)).toBe(10);
  expect(sent).toEqual([[3, 1, 2], [5]]);
});

test('no statement reads more than it may', async () => {
  const double = together(doubling(), { most: 2 });
  expect(await Promise.all([1, 2, 3].map((key) => double(database.db, key)))).toEqual([2, 4, 6]);
  expect(sent).toEqual([[1, 2], [3]]);
});

test('what comes while a statement runs waits for its end, but not for long', async () => {
  for (const [patienceMs, statements] of [
    [10_000, [[1], [2, 3]]],
    [20, [[1], [2], [3]]],
  ] as const) {
    sent = [];
    const double = together(doubling(0.3), { patienceMs });
    const first = double(database.db, 1);
    await new Promise((resolve) => setTimeout(resolve, 30));
    const second = double(database.db, 2);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await Promise.all([first, second, double(database.db, 3)])).toEqual([2, 4, 6]);
    expect(sent).toEqual(statements);
  }
});

test('a failure fails all who share it, and nobody after them', async () => {
  let fails = true;
  const double = together(async (db: Db, keys: readonly number[]) => {
    if (fails) throw new Error('no');
    return doubling()(db, keys);
  });
  const asked = await Promise.allSettled([1, 2].map((key) => double(database.db, key)));
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  fails = false;
  expect(await double(database.db, 2)).toBe(4);
});

test('a transaction reads by itself', async () => {
  const double = together(doubling());
  await database.db.transaction().execute(async (trx) => {
    expect(await Promise.all([double(trx, 1), double(database.db, 2), double(trx, 3)])).toEqual([2, 4, 6]);
  });
  expect(sent).toEqual([[1], [3], [2]]);
});
