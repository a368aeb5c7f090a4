import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import pg from 'pg';
import { createLog } from '../../../src/base/telemetry/log.js';
import type { ConnectOptions, Db } from '../../../src/db/connect.js';
import { probeAccess } from '../../../src/db/connection/pooler.js';
import { isUnavailable } from '../../../src/db/errors.js';
import { migrations } from '../../../src/db/migrations/index.js';
import { migrate } from '../../../src/db/migrations/migrate.js';
import { transaction } from '../../../src/db/transaction.js';
import {
  createDatabase,
  emptied,
  failureOf,
  migrationRecorder,
  type TestDatabase,
  withPool as withPoolAt,
} from '../../support/database.js';
import { type Pooler, startPooler } from '../../support/pgbouncer.js';
import { asReleased, releasedMigrations } from '../../support/released-database.js';
import { describeWith } from '../../support/tools.js';

const log = createLog({ level: 'silent' });

describeWith('pgbouncer', 'behind PgBouncer in transaction mode', (path) => {
  let database: TestDatabase;
  let pooler: Pooler;
  beforeAll(async () => {
    database = await createDatabase();
    pooler = await startPooler({ command: [path], target: database.url, connections: 3 });
  });
  afterAll(async () => {
    await pooler.stop();
    await database.drop();
  });

  /** A pool like that of a process of the service. Several pools share the pooler's three connections. */
  const withPool = <T>(options: Partial<ConnectOptions>, use: (pool: Db) => Promise<T>): Promise<T> => {
    const access = { url: pooler.url, pooled: true, prepared: false };
    return withPoolAt({ ...access, poolSize: 4, lockTimeoutMs: 200, ...options }, use);
  };

  test('the pooler is recognised, and so is a database without it', async () => {
    const { pooled } = await probeAccess(pooler.url, log);
    expect(pooled).toBe(true);
    expect(await probeAccess(database.url, log)).toEqual({ pooled: false, prepared: true, readOnly: false });
  });

  test('statements are not prepared if the pooler would lose them', async () => {
    const { stdout } = await promisify(execFile)(path, ['--version']);
    const minor = Number(/PgBouncer 1\.(\d+)/.exec(stdout)?.[1]);
    for (let round = 0; round < 5; round += 1) {
      expect((await probeAccess(pooler.url, log)).prepared).toBe(minor >= 24);
    }
  });

  /** Holds a connection of the pooler by a transaction until the other transaction has begun. */
  const askHolding = (pool: Db, name: string, n: number) =>
    transaction(pool, async (trx) => {
      const { rows } = await sql`select ${n}::int as ${sql.id(name)}`.execute(trx);
      await sql`select pg_sleep(0.01)`.execute(trx);
      return rows;
    });

  test.each([true, false])('processes get the answers to their own statements, prepared: %s', async (prepared) => {
    const options = { prepared, poolSize: 1 };
    await withPool(options, (one) =>
      withPool(options, async (other) => {
        for (let n = 0; n < 20; n += 1) {
          const pools = [
            [one, 'a'],
            [other, 'b'],
          ] as const;
          // The pools take turns at being first, so that they get other connections of the pooler.
          const asked = (n % 2 === 0 ? pools : [...pools].reverse()).map(async ([pool, name]) => {
            expect(await askHolding(pool, name, n)).toEqual([{ [name]: n }]);
          });
          await Promise.all(asked);
        }
      }),
    );
  });

  test.each([
    ['a statement by itself', (pool: Db, work: (on: Db) => Promise<unknown>) => work(pool)],
    ['a transaction', (pool: Db, work: (on: Db) => Promise<unknown>) => transaction(pool, work)],
  ])('%s has its timeouts, and leaves none behind on the connection', async (_, within) => {
    const limits = sql<{ name: string; setting: string }>`
      select name, setting from pg_settings where name in
        ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') order by name`;
    const settings = (pool: Db) => limits.execute(pool).then(({ rows }) => rows.map(({ setting }) => setting));
    await withPool({ statementTimeoutMs: 5_000 }, async (pool) => {
      await within(pool, async (on) => expect(await settings(on)).toEqual(['5000', '200', '5000']));
    });
    const client = new pg.Client({ connectionString: pooler.url });
    await client.connect();
    const { rows } = await client.query("select current_setting('statement_timeout') as setting");
    await client.end();
    expect(rows).toEqual([{ setting: '0' }]);
  });

  test('a wait for a lock and a long statement are ended', async () => {
    await withPool({ statementTimeoutMs: 5_000 }, async (pool) => {
      await sql`create table numbers (n integer unique)`.execute(database.db);
      await transaction(database.db, async (trx) => {
        await sql`lock table numbers in access exclusive mode`.execute(trx);
        expect(isUnavailable(await failureOf(sql`select n from numbers`.execute(pool)))).toBe(true);
      });
    });
    await withPool({ statementTimeoutMs: 2_000 }, async (pool) => {
      expect(isUnavailable(await failureOf(sql`select pg_sleep(60)`.execute(pool)))).toBe(true);
      expect((await sql`select 1 as n`.execute(pool)).rows).toEqual([{ n: 1 }]);
    });
  });

  test('a failed statement stores nothing, and the connection can still be used', async () => {
    await withPool({ poolSize: 1 }, async (pool) => {
      await sql`create table if not exists marks (n integer unique)`.execute(pool);
      await sql`insert into marks values (${1})`.execute(pool);
      expect(await failureOf(sql`insert into marks values (${2}), (${1})`.execute(pool))).toBeInstanceOf(Error);
      expect((await sql`select n from marks`.execute(pool)).rows).toEqual([{ n: 1 }]);
    });
  });

  const unreleased = Object.keys(migrations).filter((name) => !releasedMigrations.includes(name));
  test.each([
    ['a new database', emptied, ['new database']],
    ['one of the last release', asReleased, unreleased],
  ] as const)('several that migrate %s together end, and migrate it once', async (_, prepare, migrated) => {
    await prepare(database.db);
    const { ran, log: recorder } = migrationRecorder();
    await Promise.all([1, 2, 3].map(() => migrate(pooler.url, recorder, { pooled: true })));
    expect(ran).toEqual(migrated);
  });
});
