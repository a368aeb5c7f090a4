import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.js';
import { isUnavailable } from '../../src/db/errors.js';
import { atomic, transaction } from '../../src/db/transaction.js';
import { ownDatabase } from '../support/services.js';

const { db } = await ownDatabase();
beforeAll(() => sql`create table counters (id integer primary key, n integer not null)`.execute(db));
beforeEach(() => sql`delete from counters`.execute(db));

const insert = (on: Db, id: number) => sql`insert into counters values (${id}, 0)`.execute(on);
const add = (on: Db, id: number) => sql`update counters set n = n + 1 where id = ${id}`.execute(on);
const all = async () => (await sql<{ id: number; n: number }>`select id, n from counters order by id`.execute(db)).rows;

/** Makes PostgreSQL raise an error with this SQLSTATE. */
const raise = (on: Db, sqlstate: string) =>
  sql.raw(`do $$ begin raise exception using errcode = '${sqlstate}', message = 'made'; end $$`).execute(on);

describe('a transaction', () => {
  test('keeps the changes and gives the result of the work', async () => {
    expect(await transaction(db, async (trx) => insert(trx, 1).then(() => 'done'))).toBe('done');
    expect(await all()).toEqual([{ id: 1, n: 0 }]);
  });

  test('keeps nothing of work that throws', async () => {
    const failure = new Error('no');
    const work = transaction(db, async (trx) => {
      await insert(trx, 1);
      throw failure;
    });
    await expect(work).rejects.toBe(failure);
    expect(await all()).toEqual([]);
  });

  test('joins the open transaction', async () => {
    const work = transaction(db, async (outer) => {
      await transaction(outer, async (inner) => {
        expect(inner).toBe(outer);
        await insert(inner, 1);
      });
      throw new Error('outer');
    });
    await expect(work).rejects.toThrow('outer');
    expect(await all()).toEqual([]);
  });

  test('does not count as committed when the work ignored a failed statement', async () => {
    const work = transaction(db, async (trx) => {
      await insert(trx, 1);
      await insert(trx, 1).catch(() => undefined);
    });
    await expect(work).rejects.toThrow('was rolled back');
    expect(await all()).toEqual([]);
  });
});

describe('a transaction runs again', () => {
  test.each(['40001', '40P01'])('after %s', async (sqlstate) => {
    let runs = 0;
    await transaction(db, async (trx) => {
      runs += 1;
      await insert(trx, 1);
      if (runs < 3) await raise(trx, sqlstate);
    });
    expect(runs).toBe(3);
    expect(await all()).toEqual([{ id: 1, n: 0 }]);
  });

  test('but not for ever: in the end it is unavailable', async () => {
    let runs = 0;
    const work = transaction(db, async (trx) => {
      runs += 1;
      await raise(trx, '40001');
    });
    expect(isUnavailable(await work.catch((error: unknown) => error))).toBe(true);
    expect(runs).toBe(6);
  });

  test('but not after another error, nor inside an open transaction', async () => {
    let runs = 0;
    const other = transaction(db, async (trx) => {
      runs += 1;
      await raise(trx, '23505');
    });
    await expect(other).rejects.toThrow('made');
    const inner = db.transaction().execute((trx) =>
      transaction(trx, async (same) => {
        runs += 1;
        await raise(same, '40001');
      }),
    );
    await expect(inner).rejects.toThrow('made');
    expect(runs).toBe(2);
  });

  test('so that two transactions that lock each other both succeed', async () => {
    await insert(db, 1);
    await insert(db, 2);
    const both = async (first: number, second: number) =>
      transaction(db, async (trx) => {
        await sql`set local deadlock_timeout = '50ms'; set local lock_timeout = '20s'`.execute(trx);
        await add(trx, first);
        await sql`select pg_sleep(0.02)`.execute(trx);
        await add(trx, second);
      });
    await Promise.all([1, 2, 3, 4].map((each) => (each % 2 ? both(1, 2) : both(2, 1))));
    expect(await all()).toEqual([
      { id: 1, n: 4 },
      { id: 2, n: 4 },
    ]);
  });
});

describe('a statement by itself', () => {
  test('is committed by itself, or belongs to the open transaction', async () => {
    await atomic(db, async (sole) => {
      expect(sole.isTransaction).toBe(false);
      await insert(sole, 1);
    });
    const undone = transaction(db, async (trx) => {
      await atomic(trx, (on) => insert(on, 2));
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await all()).toEqual([{ id: 1, n: 0 }]);
  });

  test('runs again after a deadlock, and after no other error', async () => {
    let runs = 0;
    const failing = (sqlstate: string) => async (on: Db) => {
      runs += 1;
      return runs === 1 ? raise(on, sqlstate) : insert(on, 1);
    };
    await atomic(db, failing('40P01'));
    expect([runs, await all()]).toEqual([2, [{ id: 1, n: 0 }]]);
    runs = 0;
    await expect(atomic(db, failing('23514'))).rejects.toThrow('made');
    expect(runs).toBe(1);
  });
});
