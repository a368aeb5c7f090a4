import { tmpdir } from 'node:os';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { ConnectOptions, Db } from '../../src/db/connect.js';
import { foreignKeyViolation, isUnavailable, uniqueViolation } from '../../src/db/errors.js';
import { transaction } from '../../src/db/transaction.js';
import { failureOf, withPool as withPoolAt } from '../support/database.js';
import { proxyTo } from '../support/proxy.js';
import { waitFor } from '../support/receiver.js';
import { ownDatabase } from '../support/services.js';

const database = await ownDatabase();
const { db } = database;
beforeAll(() => sql`create table numbers (n integer constraint numbers_key unique)`.execute(db));

const withPool = <T>(options: Partial<ConnectOptions>, use: (pool: Db) => Promise<T>): Promise<T> =>
  withPoolAt({ url: database.url, ...options }, use);

const names = async (pool: Db) =>
  (await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(pool)).rows.map(
    (row) => row.statement,
  );

describe('values', () => {
  test('are text for a bigint and a date, and a Date for a timestamp', async () => {
    const { rows } = await sql`
      select 9007199254740993::bigint as big, '2025-11-20'::date as day,
        '2025-11-20T10:00:00.123Z'::timestamptz as time`.execute(db);
    const time = new Date('2025-11-20T10:00:00.123Z');
    expect(rows).toEqual([{ big: '9007199254740993', day: '2025-11-20', time }]);
  });
});

describe('prepared statements', () => {
  const select = (pool: Db, n: number) => sql<{ n: number }>`select ${n}::int as n`.execute(pool);

  test('are prepared once for each text with values', async () => {
    await withPool({ poolSize: 1 }, async (pool) => {
      for (const n of [1, 2, 3]) expect((await select(pool, n)).rows).toEqual([{ n }]);
      expect(await names(pool)).toEqual(['select $1::int as n']);
    });
  });

  test('are not used when they are switched off', async () => {
    await withPool({ poolSize: 1, prepared: false }, async (pool) => {
      expect((await select(pool, 1)).rows).toEqual([{ n: 1 }]);
      expect(await names(pool)).toEqual([]);
    });
  });

  test('do not fill the memory when there are endless texts', async () => {
    await withPool({ poolSize: 1 }, async (pool) => {
      for (let n = 0; n < 502; n += 1) await sql`select ${n}::int as ${sql.id(`n${n}`)}`.execute(pool);
      expect(await names(pool)).toHaveLength(500);
    });
  });

  test.each([
    ['outside a transaction', (pool: Db, work: (on: Db) => Promise<unknown>) => work(pool)],
    ['inside one', (pool: Db, work: (on: Db) => Promise<unknown>) => transaction(pool, work)],
  ])('survive a migration of their table, %s', async (_, within) => {
    await sql`drop table if exists changing`.execute(db);
    await sql`create table changing (a integer)`.execute(db);
    await sql`insert into changing values (1)`.execute(db);
    await withPool({ poolSize: 2 }, async (pool) => {
      const read = async (on: Db) => (await sql`select * from changing where a = ${1}`.execute(on)).rows;
      await Promise.all([1, 2, 3, 4].map(() => within(pool, read)));
      await sql`alter table changing add column b integer default 2`.execute(db);
      const rows = await Promise.all([1, 2, 3, 4].map(() => within(pool, read)));
      expect(rows).toEqual(Array(4).fill([{ a: 1, b: 2 }]));
    });
  });
});

const terminate = () =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pool'`.execute(db);

const isGone = async () =>
  (await sql`select 1 from pg_stat_activity where application_name = 'pool'`.execute(db)).rows.length === 0;

describe('connections that are lost', () => {
  test('are replaced each time', async () => {
    await withPool({ poolSize: 4 }, async (pool) => {
      const failures = () => Promise.all([1, 2, 3, 4].map(() => failureOf(sql`select 1`.execute(pool))));
      const allAnswer = async () => (await failures()).every((failure) => failure === undefined);
      for (let round = 0; round < 5; round += 1) {
        await waitFor(allAnswer, 'new connections');
        await terminate();
        // The pool may notice a loss only by the next statement, which then fails.
        for (const failure of await failures()) expect(failure === undefined || isUnavailable(failure)).toBe(true);
      }
      await waitFor(allAnswer, 'new connections');
    });
  });

  test('in the middle of a transaction fail only that transaction', async () => {
    await withPool({ poolSize: 1 }, async (pool) => {
      const failure = await failureOf(
        transaction(pool, async (trx) => {
          await sql`insert into numbers values (1)`.execute(trx);
          await terminate();
          await waitFor(isGone, 'the end of the connection');
          await sql`insert into numbers values (2)`.execute(trx);
        }),
      );
      expect(isUnavailable(failure)).toBe(true);
      expect((await sql`select n from numbers`.execute(pool)).rows).toEqual([]);
    });
  });
});

describe('a database that does not answer is unavailable', () => {
  test('when the pool has no free connection', async () => {
    await withPool({ poolSize: 1, connectionTimeoutMs: 700 }, async (pool) => {
      let over = false;
      const busy = failureOf(sql`select pg_sleep(60)`.execute(pool)).finally(() => {
        over = true;
      });
      expect(isUnavailable(await failureOf(sql`select 1`.execute(pool)))).toBe(true);
      expect(over).toBe(false);
      await terminate();
      await busy;
    });
  });

  test('when a table is locked', async () => {
    await transaction(db, async (trx) => {
      await sql`lock table numbers in access exclusive mode`.execute(trx);
      const read = withPool({ statementTimeoutMs: 0 }, (pool) => sql`select n from numbers`.execute(pool));
      expect(isUnavailable(await failureOf(read))).toBe(true);
    });
  });

  test('when a statement takes too long', async () => {
    const failure = await failureOf(
      withPool({ statementTimeoutMs: 100 }, (pool) => sql`select pg_sleep(5)`.execute(pool)),
    );
    expect(isUnavailable(failure)).toBe(true);
  });

  test('when nothing listens on the port', async () => {
    const url = new URL(database.url);
    url.port = '1';
    const socket = new URL(`?host=${encodeURIComponent(tmpdir())}`, url);
    for (const { href } of [url, socket]) {
      const failure = await failureOf(withPool({ url: href }, (pool) => sql`select 1`.execute(pool)));
      expect(isUnavailable(failure)).toBe(true);
    }
  });

  test('when the server is frozen, whose connection is then given up', async () => {
    const { url, freeze, cut } = await proxyTo(database.url);
    await withPool({ url, poolSize: 1, statementTimeoutMs: 100 }, async (pool) => {
      await sql`select 1`.execute(pool);
      freeze();
      expect(isUnavailable(await failureOf(sql`select 1`.execute(pool)))).toBe(true);
    });
    await withPool({ url, poolSize: 1 }, async (pool) =>
      expect((await sql`select 2 as n`.execute(pool)).rows).toEqual([{ n: 2 }]),
    );
    await cut();
  });

  test('but not when the statement itself is wrong', async () => {
    const failure = await failureOf(sql`select 1 / 0`.execute(db));
    expect(failure).toBeInstanceOf(Error);
    expect(isUnavailable(failure)).toBe(false);
  });
});

describe('constraints', () => {
  test('a unique violation names its constraint', async () => {
    await sql`insert into numbers values (7)`.execute(db);
    const failure = await failureOf(sql`insert into numbers values (7)`.execute(db));
    expect(uniqueViolation(failure)).toBe('numbers_key');
    expect(foreignKeyViolation(failure)).toBeUndefined();
    expect(uniqueViolation(new Error('other'))).toBeUndefined();
  });
});
