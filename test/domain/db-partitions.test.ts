import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { newId } from '../../src/base/ids.js';
import { createLog } from '../../src/base/telemetry/log.js';
import { connect, type Db } from '../../src/db/connect.js';
import { isUnavailable } from '../../src/db/errors.js';
import { migrate } from '../../src/db/migrations/migrate.js';
import { scalar } from '../../src/db/one-row.js';
import { dropPartitions, removeOlder } from '../../src/db/partitions/drop.js';
import { keepPartitions, makePartitions, partitionsOf } from '../../src/db/partitions/partitions.js';
import { keyAt, nameOfPeriod, periodAt, periodsAround } from '../../src/db/partitions/periods.js';
import { partitionedTables, webhookAttempts } from '../../src/db/partitions/tables.js';
import { createDatabase, emptied, lockWaiters, type TestDatabase } from '../support/database.js';
import { waitFor } from '../support/receiver.js';

const DAY_MS = 86_400_000;

let database: TestDatabase;
/** Gives each test of a group a database of its own. */
function withDatabase(): void {
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.drop());
}

describe('periods', () => {
  const at = new Date('2026-12-31T23:59:59.999Z');

  test.each([
    ['day', '2026-12-31', '2027-01-01', '2026_12_31'],
    ['week', '2026-12-28', '2027-01-04', '2026_12_28'],
    ['month', '2026-12-01', '2027-01-01', '2026_12'],
  ] as const)('a %s begins on %s and ends before %s', (width, from, until, name) => {
    expect(periodAt(width, at)).toEqual({ from: new Date(from), until: new Date(until) });
    expect(nameOfPeriod(width, periodAt(width, at))).toBe(name);
  });

  test('follow each other without a gap, from the last period before now on', () => {
    const periods = periodsAround('month', at, 2);
    expect(periods.map((period) => nameOfPeriod('month', period))).toEqual([
      '2026_11',
      '2026_12',
      '2027_01',
      '2027_02',
    ]);
    for (const [index, { from }] of periods.entries()) if (index > 0) expect(from).toEqual(periods[index - 1]?.until);
  });

  test('have a smallest id of a time, which sorts before the ids that are made then', () => {
    const id = newId();
    const time = Number.parseInt(id.replace('-', '').slice(0, 12), 16);
    expect(keyAt('uuidv7', new Date(time)) < id).toBe(true);
    expect(keyAt('uuidv7', new Date(time + 1)) > id).toBe(true);
  });
});

/** Inserts one attempt at each time. */
const insertAttempt = (...times: Date[]) =>
  sql`
  insert into webhook_attempts (webhook_id, endpoint_id, number, replay, attempted_at, duration_ms, outcome, lease_lost)
  select ${newId()}, ${newId()}, 1, false, at, 5, 'acknowledged', false
  from unnest(${times}::timestamptz[]) at`.execute(database.db);

async function attempts(): Promise<number[]> {
  const rows = await database.db.selectFrom('webhook_attempts').select('id').orderBy('id').execute();
  return rows.map(({ id }) => Number(id));
}

describe('a new database', () => {
  withDatabase();

  test('has partitions for future periods, and makes none twice', async () => {
    await emptied(database.db);
    await migrate(database.url, createLog({ level: 'silent' }));
    for (const table of partitionedTables) {
      const end = (await partitionsOf(database.db, table)).at(-1)?.until.getTime() ?? 0;
      expect(end - Date.now()).toBeGreaterThan(2 * DAY_MS);
    }
    expect(await makePartitions(database.db)).toEqual([]);
  });

  test('gets missing partitions once, even when many processes make them', async () => {
    // Other tables may lack partitions, too: the database may be a clone from before midnight.
    await makePartitions(database.db);
    await sql`drop table webhook_attempts_first`.execute(database.db);
    for (const { name } of await partitionsOf(database.db, webhookAttempts))
      await sql`drop table ${sql.table(name)}`.execute(database.db);
    const made = (await Promise.all([1, 2, 3].map(() => makePartitions(database.db)))).flat();
    made.push(...(await makePartitions(database.db)));
    expect(made).toEqual((await partitionsOf(database.db, webhookAttempts)).map(({ name }) => name));
    expect(made).toHaveLength(2 + webhookAttempts.ahead);
    await insertAttempt(new Date(Date.now() + 7 * DAY_MS));
  });
});

describe('a role that may not change the schema', () => {
  withDatabase();

  /** A pool of a role that has rights on rows only. */
  async function limited(): Promise<Db> {
    const role = `rows_only_${newId().replaceAll('-', '')}`;
    await sql`create role ${sql.ref(role)} login password 'rows'`.execute(database.db);
    await sql`grant select, insert, update, delete on all tables in schema public to ${sql.ref(role)}`.execute(
      database.db,
    );
    await sql`grant usage on all sequences in schema public to ${sql.ref(role)}`.execute(database.db);
    const url = new URL(database.url);
    [url.username, url.password] = [role, 'rows'];
    return connect({ url: url.href, log: createLog({ level: 'silent' }), poolSize: 2, applicationName: 'limited' });
  }
  test('gets partitions by calling the function of the owner, and writes into them', async () => {
    const db = await limited();
    const last = (await partitionsOf(db, webhookAttempts)).at(-1)?.name ?? '';
    await sql`drop table ${sql.table(last)}`.execute(database.db);
    expect(await makePartitions(db)).toEqual([last]);
    expect(await makePartitions(db)).toEqual([]);
    await db.destroy();
    await insertAttempt(new Date(Date.now() + 14 * DAY_MS));
  });

  test('cannot make other things by that function', async () => {
    const db = await limited();
    const make = (parent: string, name: string, from = '2001-01-01', to = '2001-01-02') =>
      sql`select make_partition(${parent}::regclass, ${name}, ${from}, ${to})`.execute(db);
    await expect(make('accounts', 'accounts_2001')).rejects.toMatchObject({ code: '42501' });
    await expect(make('webhook_attempts', 'accounts_copy')).rejects.toMatchObject({ code: '42501' });
    await expect(make('pg_class', 'pg_class_2001')).rejects.toMatchObject({ code: '42501' });
    await expect(make('webhook_attempts', `webhook_attempts_x; drop table accounts`, 'no time')).rejects.toThrow();
    await db.destroy();
  });

  test('gets no partition of a table that it may not write', async () => {
    const db = await limited();
    const role = await scalar(db, sql<string>`current_user`);
    await sql`revoke insert on webhook_attempts from ${sql.ref(role)}`.execute(database.db);
    const made = sql`select make_partition('webhook_attempts'::regclass, 'webhook_attempts_x', '2098-01-01', 'infinity')`;
    await expect(made.execute(db)).rejects.toMatchObject({ code: '42501' });
    await db.destroy();
  });

  test('removes old rows one by one, because it may not drop a partition', async () => {
    const db = await limited();
    await insertAttempt(new Date(0), new Date());
    await removeOlder(db, webhookAttempts, 30);
    await db.destroy();
    expect(await attempts()).toEqual([2]);
  });
});

describe('a table without a partition for new rows', () => {
  withDatabase();

  test('makes the process not ready and its writes unavailable until it has a partition', async () => {
    for (const { name } of await partitionsOf(database.db, webhookAttempts))
      await sql`drop table ${sql.table(name)}`.execute(database.db);
    await sql`alter function make_partition rename to make_no_partition`.execute(database.db);
    const { check, stop } = await keepPartitions(database.db, createLog({ level: 'silent' }));
    expect(await check()).toEqual({
      reason: 'partitions',
      text: 'there is no partition for new rows of webhook_attempts',
    });
    const failure: unknown = await insertAttempt(new Date()).catch((error: unknown) => error);
    expect(isUnavailable(failure)).toBe(true);
    await stop();
    await sql`alter function make_no_partition rename to make_partition`.execute(database.db);
    const again = await keepPartitions(database.db, createLog({ level: 'silent' }));
    expect(await again.check()).toBeUndefined();
    await again.stop();
  });
});

describe('dropping', () => {
  withDatabase();
  const end = new Date(Date.now() + 21 * DAY_MS);

  test('removes only partitions that are older as a whole', async () => {
    await insertAttempt(new Date(0));
    const before = await partitionsOf(database.db, webhookAttempts);
    const [first] = before;
    expect(await dropPartitions(database.db, webhookAttempts, new Date((first?.until.getTime() ?? 0) - 1))).toEqual([]);
    expect(await attempts()).toEqual([1]);
    expect(await dropPartitions(database.db, webhookAttempts, end)).toEqual(
      before.filter(({ until }) => until <= end).map(({ name }) => name),
    );
    expect(await attempts()).toEqual([]);
  });

  test('lets a reader go first, and makes nobody else wait', async () => {
    const [first] = await partitionsOf(database.db, webhookAttempts);
    let dropped: Promise<string[]> = Promise.resolve([]);
    await database.db.transaction().execute(async (trx) => {
      await sql`select count(*) from webhook_attempts`.execute(trx);
      dropped = dropPartitions(database.db, webhookAttempts, first?.until ?? end);
      await waitFor(async () => (await lockWaiters(database.db)) > 0, 'a lock that the reader prevents');
      // If the drop waited for its lock, all inserts would wait for the reader.
      for (let attempt = 0; attempt < 50; attempt += 1) await insertAttempt(new Date());
    });
    expect(await dropped).toEqual([first?.name]);
  });
});
