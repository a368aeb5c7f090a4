import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.js';
import { shareRead } from '../../src/db/share-read.js';
import { waitFor } from '../support/receiver.js';
import { ownDatabase } from '../support/services.js';

const database = await ownDatabase();

let sent: (readonly number[])[] = [];
beforeEach(() => {
  sent = [];
});

/** Doubles numbers in one statement, after `may` has resolved. */
const doubling =
  (may: Promise<void> = Promise.resolve()) =>
  async (db: Db, keys: readonly number[]): Promise<number[]> => {
    sent.push(keys);
    await may;
    const { rows } = await sql<{ doubled: number }>`
      select 2 * key as doubled from unnest(${keys}::integer[]) with ordinality as _ (key, at) order by at`.execute(db);
    return rows.map(({ doubled }) => doubled);
  };

/** Waits until this number of statements has been sent. */
const untilSent = (count: number) => waitFor(() => sent.length === count, `${count} statements`);

test('one statement reads all keys of one turn, and each caller gets its answer', async () => {
  const double = shareRead(doubling());
  expect(await Promise.all([3, 1, 2].map((key) => double(database.db, key)))).toEqual([6, 2, 4]);
  expect(await double(database.db, 5)).toBe(10);
  expect(sent).toEqual([[3, 1, 2], [5]]);
});

test('no statement reads more keys than `max`', async () => {
  const double = shareRead(doubling(), { max: 2 });
  expect(await Promise.all([1, 2, 3].map((key) => double(database.db, key)))).toEqual([2, 4, 6]);
  expect(sent).toEqual([[1, 2], [3]]);
});

test('calls during a statement wait until it ends', async () => {
  let end = () => {};
  const double = shareRead(doubling(new Promise((resolve) => (end = resolve))), { patienceMs: 600_000 });
  const first = double(database.db, 1);
  await untilSent(1);
  const second = double(database.db, 2);
  await nextTurn();
  const third = double(database.db, 3);
  await nextTurn();
  end();
  expect(await Promise.all([first, second, third])).toEqual([2, 4, 6]);
  expect(sent).toEqual([[1], [2, 3]]);
});

test('calls during a long statement do not wait for its end', async () => {
  let end = () => {};
  const double = shareRead(doubling(new Promise((resolve) => (end = resolve))), { patienceMs: 20 });
  const answers = [];
  for (const key of [1, 2, 3]) {
    answers.push(double(database.db, key));
    await untilSent(key);
  }
  end();
  expect(await Promise.all(answers)).toEqual([2, 4, 6]);
  expect(sent).toEqual([[1], [2], [3]]);
});

test('a failed statement fails all calls that share it, and no later call', async () => {
  let fails = true;
  const double = shareRead(async (db: Db, keys: readonly number[]) => {
    if (fails) throw new Error('no');
    return doubling()(db, keys);
  });
  const asked = await Promise.allSettled([1, 2].map((key) => double(database.db, key)));
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  fails = false;
  expect(await double(database.db, 2)).toBe(4);
});

test('a transaction does not share its reads', async () => {
  const double = shareRead(doubling());
  await database.db.transaction().execute(async (trx) => {
    expect(await Promise.all([double(trx, 1), double(database.db, 2), double(trx, 3)])).toEqual([2, 4, 6]);
  });
  expect(sent).toEqual([[1], [3], [2]]);
});
