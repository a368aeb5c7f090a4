import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { newId } from '../../src/base/ids.js';
import { addCalendar } from '../../src/carrier/calendars.js';
import { daysOffSeen } from '../../src/cli/doctor/carrier.js';
import { createDatabase } from '../support/database.js';
import { startPooler } from '../support/pgbouncer.js';
import { createAuthority, startReceiver } from '../support/receiver.js';
import { ownDatabase } from '../support/services.js';
import { describeWith } from '../support/tools.js';
import { move, register, shipped } from '../webhook/support.js';
import { examine, type Finding, seeing } from './doctor.js';
import { beside } from './malote.js';

const sound = await ownDatabase();
let database = sound;
const receiver = await startReceiver({ authority: await createAuthority() });
afterAll(() => receiver.close());

const examined = (settings: Record<string, string> = {}) => examine(database.url, settings);

const change = (statement: ReturnType<typeof sql>) => statement.execute(database.db);

/** Stores an attempt at each endpoint, made just now. */
const attempt = (outcome: string, durationMs: number, error: string | null = null) =>
  change(sql`
    insert into webhook_attempts (webhook_id, endpoint_id, number, replay, attempted_at, outcome, duration_ms, error, lease_lost)
    select ${newId()}::uuid, id, 1, false, now(), ${outcome}, ${durationMs}, ${error}, false from webhook_endpoints`);

const databaseName = () => sql.ref(new URL(database.url).pathname.slice(1));

/** Replaces a system table for new connections, because no test can wait until a transaction is old. */
async function instead(table: string, rows: ReturnType<typeof sql>): Promise<void> {
  await change(sql`create schema stand_in`);
  await change(sql`create view stand_in.${sql.ref(table)} as ${rows}`);
  await change(sql`alter database ${databaseName()} set search_path = stand_in, pg_catalog, public`);
}

test('malote doctor finds a new database healthy, and names each check', async () => {
  const { of, data } = await examined();
  const checks =
    'settings database schema postgresql writes clock replication connections transactions dead-tuples disk lanes endpoints dead-letters partitions prices calendar sweeps keys redis planning';
  for (const check of checks.split(' ').filter((each) => each !== 'dead-tuples')) {
    expect(of(check)).toEqual({ check, status: 'ok', seen: expect.any(String) });
  }
  const others = ['node', 'name-servers', 'service', 'dead-tuples'];
  expect(data.map(({ check }) => check)).toEqual(expect.arrayContaining(others));
});

test('malote doctor prints a table for people, and its exit code is that of the worst finding', async () => {
  const malote = beside({ DATABASE_URL: 'postgres://malote:x@127.0.0.1:1/malote', INTERNAL_PORT: '2' });
  const { code, out, err } = await malote.run('doctor');
  expect(code).toBe(2);
  expect(out).toMatch(
    /^bad +database +No database: ECONNREFUSED\. Nothing listens at 127\.0\.0\.1:1\. +Start it, or correct/m,
  );
  expect(err).toMatch(/^malote: \d+ of \d+ checks are bad/);
});

test('malote doctor names settings that stop the service, and still makes the checks that need none', async () => {
  const { code, of, data } = await examined({ PORT: 'none' });
  expect(code).toBe(2);
  expect(of('settings')).toEqual({ check: 'settings', ...seeing('bad', /PORT/), advice: expect.any(String) });
  expect(data.map(({ check }) => check)).toEqual(expect.arrayContaining(['node', 'schema', 'postgresql', 'lanes']));
});

test('malote doctor checks only this machine when the settings name no database', async () => {
  const { data } = await examined({ DATABASE_URL: 'nowhere' });
  expect(data.map(({ check }) => check)).toEqual(['node', 'name-servers', 'settings']);
});

describeWith('pgbouncer', 'behind PgBouncer in transaction mode', (path) => {
  test('malote doctor makes all checks and finds no fault; migrate --status works, too', async () => {
    const direct = await examined();
    const pooler = await startPooler({ command: [path], target: database.url, connections: 2 });
    try {
      const { of, data } = await examined({ DATABASE_URL: pooler.url });
      expect(of('database')).toMatchObject({ status: 'ok', seen: 'it answers behind a pooler' });
      const verdicts = (all: readonly Finding[]) => all.map(({ check, status }) => `${check} ${status}`);
      expect(verdicts(data)).toEqual(verdicts(direct.data));
      const { code, out } = await beside({ DATABASE_URL: pooler.url }).run('migrate --status');
      expect([code, out]).toEqual([0, expect.stringMatching(/^0034-ascending-indexes +applied/m)]);
    } finally {
      await pooler.stop();
    }
  });
});

describe('malote doctor finds in a database', () => {
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(async () => {
    await database.drop();
    database = sound;
  });

  test('a schema that lacks a migration, and makes the other checks', async () => {
    await change(sql`delete from schema_migrations where name = '0035-no-descending-indexes'`);
    const { code, of } = await examined();
    const advice = expect.stringContaining('malote migrate');
    expect(of('schema')).toMatchObject({ ...seeing('bad', /0035-no-descending-indexes/), advice });
    expect([code, of('lanes')?.status]).toEqual([2, 'ok']);
  });

  test('a database that is too old to be migrated, with the message of the migration', async () => {
    await change(sql`delete from schema_migrations`);
    const { code, of } = await examined();
    expect([code, of('schema'), of('lanes')]).toEqual([
      2,
      {
        check: 'schema',
        status: 'bad',
        seen: 'the database is of a release before 1.7',
        advice: 'Run "malote migrate" of release 1.7 first.',
      },
      undefined,
    ]);
  });

  test('a database of a later release that this release cannot use', async () => {
    await change(sql`update schema_migrations set oldest_release = '99.0.0'`);
    const { of } = await examined();
    expect(of('schema')).toMatchObject({
      seen: expect.stringMatching(/^the database is too new for release .* it serves 99\.0\.0 and later ones/),
      advice: 'Use a release that the database serves (docs/upgrading.md).',
    });
  });

  test('a database without tables', async () => {
    await change(sql`drop schema public cascade; create schema public`);
    const { of } = await examined();
    const [seen, advice] = ['the database lacks the tables of this check', 'Run "malote migrate", which adds it.'];
    expect(of('lanes')).toEqual({ check: 'lanes', status: 'bad', seen, advice });
    expect([of('schema')?.status, of('writes')?.status]).toEqual(['bad', 'ok']);
  });

  test('a database that takes no writes', async () => {
    await change(sql`alter database ${databaseName()} set default_transaction_read_only = on`);
    expect((await examined()).of('writes')).toMatchObject({ status: 'bad', seen: 'read-only' });
  });

  test('waiting deliveries without a sender, failing endpoints, dead letters', async () => {
    const { accountId, keys } = await shipped(database.db);
    await register(database.db, accountId, receiver);
    await move(database.db, keys);
    await change(sql`update webhook_lanes set due_at = now() - interval '1 hour' where state = 'ready'`);
    await change(sql`update webhook_endpoints set failing_since = now() - interval '3 hours'`);
    await change(sql`
      insert into webhook_deliveries (webhook_id, endpoint_id, lane_id, kind, body, members, package_count, dead_at, retain_from)
      select ${newId()}::uuid, endpoint_id, id, 'tracking', '', '{}', 1, now() - interval '2 days', now() from webhook_lanes
      where number = 0`);
    await attempt('no_answer', 20, 'CERT_HAS_EXPIRED');
    const { of } = await examined();
    expect(of('lanes')).toMatchObject({ status: 'bad', seen: expect.stringMatching(/^1 due .* since 1 h/) });
    const failing = /1 of them failing \(the first since 3 h\); [-\da-f]{36} \(localhost\): CERT_HAS_EXPIRED/;
    expect(of('endpoints')).toMatchObject(seeing('warn', failing));
    expect(of('dead-letters')).toMatchObject({ status: 'warn', seen: '1, the oldest given up 2 d ago' });
  });

  test('an endpoint whose receiver is slow', async () => {
    const { accountId } = await shipped(database.db);
    await register(database.db, accountId, receiver);
    await attempt('acknowledged', 2_900);
    expect((await examined()).of('endpoints')).toMatchObject({ status: 'ok' });
    await attempt('acknowledged', 8_000);
    expect((await examined()).of('endpoints')).toMatchObject(
      seeing('warn', /\(localhost\) is slow: 5\.\d s an attempt/),
    );
  });

  test('a rate card without zones that prices a package above R$ 500', async () => {
    expect((await examined()).of('prices')).toMatchObject({ status: 'ok' });
    await sql`update rate_cards set zones = null, urban_km = null, per_km_centavos = 14`.execute(database.db);
    expect((await examined()).of('prices')).toMatchObject({
      status: 'warn',
      seen: expect.stringContaining('R$ 500.80'),
    });
    await sql`update rate_cards set per_km_centavos = 13`.execute(database.db);
    expect((await examined()).of('prices')?.status).toBe('ok');
  });

  test('in December, a calendar without days off for the next year', async () => {
    const year = new Date().getFullYear();
    const day = (of: number) => ({ date: `${of}-01-25`, name: '' });
    const hours = { opening: '08:00', closing: '20:00', saturdays: true, sundays: false };
    const add = (validFrom: Date | undefined, ...closed: ReturnType<typeof day>[]) => {
      const collection = { collectionLeadMinutes: 30, collectionCutoff: null };
      return addCalendar(database.db, { validFrom, ...hours, ...collection, closed });
    };
    await add(undefined, day(year), day(year + 1));
    const status = new Date().getMonth() === 11 ? 'warn' : 'ok';
    expect((await examined()).of('calendar')).toMatchObject({
      status: 'ok',
      seen: `calendar 2: 1 own days off in ${year}, 1 in ${year + 1}`,
    });
    await add(undefined, day(year));
    expect((await examined()).of('calendar')).toMatchObject(seeing(status, / 1 own days off in \d+, 0 in /));
    expect(daysOffSeen({ version: 3, month: 12, year, here: 1, next: 0 }).warn).toContain(`days off of ${year + 1}`);
    expect(daysOffSeen({ version: 3, month: 11, year, here: 1, next: 0 }).warn).toBe(false);
    expect(daysOffSeen({ version: 3, month: 12, year, here: 0, next: 0 }).warn).toBe(false);
    expect(daysOffSeen({ version: 3, month: 12, year, here: 1, next: 1 }).warn).toBe(false);
  });

  test('keys that are missing, and keys with the right id but other bytes', async () => {
    const { accountId } = await shipped(database.db);
    await register(database.db, accountId, receiver);
    const bytes = randomBytes(32).toString('base64');
    const found = async (ring: string) => (await examined({ ENCRYPTION_KEYS: ring })).of('keys');
    expect(await found(`other:${bytes}`)).toMatchObject(seeing('bad', /keys missing: "test"/));
    expect(await found(`test:${bytes}`)).toMatchObject(seeing('bad', /does not open: /));
    expect((await examined()).of('keys')).toMatchObject({ status: 'ok' });
  });

  test('sweeps that lag', async () => {
    const { accountId } = await shipped(database.db);
    await change(sql`
      insert into idempotency_keys (account_id, operation, key, door, fingerprint, answer, created_at)
      values (${accountId}, 'createOrder', 'old', 'rest', '', '', now() - interval '3 days')`);
    await change(sql`update accounts set deleted_at = now() - interval '40 days' where id = ${accountId}`);
    const seen = 'behind by more than their pace: idempotency keys, erasure of deleted accounts';
    expect((await examined()).of('sweeps')).toMatchObject({ status: 'warn', seen });
  });

  test('attempts, bodies and dead letters beyond their retention, but none that must be kept', async () => {
    const { accountId, keys } = await shipped(database.db);
    await register(database.db, accountId, receiver);
    await move(database.db, keys);
    const old = sql`now() - interval '12 days'`;
    const body = (dead: ReturnType<typeof sql>) => sql`
      insert into webhook_deliveries (webhook_id, endpoint_id, lane_id, kind, body, members, package_count, dead_at, retain_from)
      select ${newId()}::uuid, endpoint_id, id, 'tracking', '', '{}', 1, ${dead}, ${old} from webhook_lanes where number = 0`;
    await body(sql`null`).execute(database.db);
    await body(old).execute(database.db);
    await change(sql`
      insert into webhook_attempts (webhook_id, endpoint_id, number, replay, attempted_at, outcome, duration_ms, lease_lost)
      select webhook_id, endpoint_id, 1, false, ${old}, 'no_answer', 1, false from webhook_deliveries limit 1`);
    const seen = async (days: string) => {
      const terms = ['ATTEMPTS', 'DELIVERIES', 'DEAD_LETTERS'].map((kind) => [`RETENTION_${kind}_DAYS`, days]);
      return (await examined(Object.fromEntries(terms))).of('sweeps');
    };
    const behind = 'behind by more than their pace: attempts, delivered bodies, dead letters';
    expect(await seen('4')).toMatchObject({ status: 'warn', seen: behind });
    expect([await seen('12'), await seen('0')]).toMatchObject([{ status: 'ok' }, { status: 'ok' }]);
  });

  test('missing partitions', async () => {
    const partitions = sql<{ name: string }>`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = 'idempotency_keys'::regclass`;
    const { rows } = await partitions.execute(database.db);
    for (const { name } of rows) await change(sql`drop table ${sql.raw(name)}`);
    expect((await examined()).of('partitions')).toMatchObject({ status: 'bad' });
  });

  test.each([
    ['50 seconds', 'ok', /^none older than a minute; 0 prepared$/],
    ['4 minutes', 'warn', /^the oldest since 4 min \(pid 17 old client idle in transaction\); 0 prepared$/],
    ['2 hours', 'bad', /^the oldest since 2 h/],
  ])('a transaction that is open for %s: %s', async (age, status, seen) => {
    await instead(
      'pg_stat_activity',
      sql`select now() - ${sql.lit(age)}::interval as xact_start, 'client backend' as backend_type, 17 as pid,
        'old client' as application_name, 'idle in transaction' as state`,
    );
    expect((await examined()).of('transactions')).toMatchObject({ status, seen: expect.stringMatching(seen) });
  });

  test('a prepared transaction', async () => {
    await instead('pg_prepared_xacts', sql`select 'by hand' as gid`);
    const advice = expect.stringContaining('pg_prepared_xacts');
    expect((await examined()).of('transactions')).toMatchObject({ ...seeing('warn', /; 1 prepared$/), advice });
  });
});

describe('malote doctor finds beside a database', () => {
  test.each([
    ['ahead of', 3_000, 'warn'],
    ['ahead of', 400_000, 'bad'],
    ['behind', -400_000, 'bad'],
  ])('a clock that is %s the database by %d ms: %s', async (way, ms, status) => {
    const now = Date.now;
    Date.now = () => now() + ms;
    const { of } = await examined().finally(() => {
      Date.now = now;
    });
    expect(of('clock')).toMatchObject({ status, seen: expect.stringContaining(`ms ${way} the database`) });
  });

  test('a replication slot that nobody reads', async () => {
    await change(sql`select pg_create_physical_replication_slot('malote_doctor', true)`);
    const { of } = await examined();
    await change(sql`select pg_drop_replication_slot('malote_doctor')`);
    const unused = / of 0 expected.*; unused slots: .*malote_doctor \(\d+ MB\)/;
    expect(of('replication')).toMatchObject(seeing('warn', unused));
  });
});
