import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { startDatabaseFigures } from '../../../src/app/database-figures.js';
import { createLog } from '../../../src/base/telemetry/log.js';
import { connect, type Db } from '../../../src/db/connect.js';
import { replayWatch } from '../../../src/db/health/standbys.js';
import { migrate } from '../../../src/db/migrations/migrate.js';
import { beside } from '../../cli/malote.js';
import { exportedIn, sampleOf } from '../../observability/exported.js';
import { execute, inDatabase, patience } from '../../support/database.js';
import { startPostgres, type TemporaryPostgres } from '../../support/postgres.js';
import type { Complaint } from '../../support/processes/doctor.js';
import { waitFor } from '../../support/receiver.js';
import { type Replica, startReplica } from '../../support/replica.js';

/** Reports of `malote doctor` and metrics about a primary and its standby, for roles that may see standbys or not. */

const log = createLog({ level: 'silent' });
const PASSWORD = 'of both roles';
let primary: TemporaryPostgres;
let replica: Replica;
let admin: Db;
/** The addresses of the service's database for both roles. */
let ofMonitor: string;
let ofStranger: string;

beforeAll(async () => {
  primary = await startPostgres({ settings: { archive_mode: 'on' } });
  for (const statement of [
    `alter system set archive_command = '/bin/true'`,
    'select pg_reload_conf()',
    `create role watcher login password '${PASSWORD}' in role pg_monitor`,
    `create role stranger login password '${PASSWORD}' in role pg_read_all_data, pg_write_all_data`,
    'create database service owner watcher',
    `select pg_create_physical_replication_slot('follower', true)`,
  ])
    await execute(primary.url, statement);
  ofMonitor = addressOf('watcher');
  ofStranger = addressOf('stranger');
  await migrate(ofMonitor, log);
  admin = connect({ url: primary.url, poolSize: 2, applicationName: 'malote test', log, ...patience });
  replica = await startReplica(primary);
  await execute(replica.url, `alter system set primary_slot_name = 'follower'`);
  await execute(replica.url, 'select pg_reload_conf()');
  await untilFollowed(1);
});
afterAll(async () => {
  await admin.destroy();
  await replica.stop();
  await primary.stop();
});

function addressOf(role: string): string {
  const url = new URL(inDatabase(primary.url, 'service'));
  url.username = role;
  url.password = PASSWORD;
  return url.href;
}

/** Waits until `count` standbys stream, each by its slot. */
const untilFollowed = (count: number): Promise<void> =>
  waitFor(async () => {
    const { rows } = await sql<{ streaming: number; active: number }>`
      select count(*) filter (where state = 'streaming' and replay_lsn is not null)::integer as streaming,
        (select count(*)::integer from pg_replication_slots where active) as active
      from pg_stat_replication`.execute(admin);
    return rows[0]?.streaming === count && rows[0].active === count;
  }, `${count} standbys`);

/** Changes the settings as Patroni does when a standby comes or goes. */
async function demand(names: string): Promise<void> {
  await sql`alter system set synchronous_standby_names = ${sql.lit(names)}`.execute(admin);
  await sql`select pg_reload_conf()`.execute(admin);
  await waitFor(async () => {
    const { rows } = await sql<{ names: string }>`
      select current_setting('synchronous_standby_names') as names`.execute(admin);
    return rows[0]?.names === names;
  }, 'the setting');
}

async function findings(url = ofMonitor, standbys = '1'): Promise<Complaint[]> {
  const keys = `k:${randomBytes(32).toString('base64')}`;
  const malote = beside({
    DATABASE_URL: url,
    DATABASE_STANDBYS: standbys,
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://malote.example',
    ...{ JWT_KEYS: keys, API_KEY_SECRETS: keys, ENCRYPTION_KEYS: keys, CODE_KEYS: keys },
    INTERNAL_PORT: '2',
  });
  const { out } = await malote.run(['doctor', '--json']);
  const { data }: { data: Complaint[] } = JSON.parse(out);
  return data;
}

const of = (all: readonly Complaint[], check: string) => all.find((each) => each.check === check);
const replication = async (url?: string, standbys?: string) => of(await findings(url, standbys), 'replication');

/** The figures that a process exports. A missing figure is undefined. */
async function figures(url = ofMonitor) {
  const db = connect({ url, poolSize: 2, applicationName: 'malote test', log, ...patience });
  const registry = new Registry();
  const stop = startDatabaseFigures({ db, log, registry, standbys: 1, everyMs: 100 });
  const read = async () => exportedIn(await registry.metrics());
  await waitFor(async () => (await read()).has('malote_database_standbys_expected'), 'the figures');
  const exported = await read();
  await stop();
  await db.destroy();
  const names = ['malote_database_standbys', 'malote_database_standbys_expected', 'malote_database_archive_failing'];
  return names.map((name) => sampleOf(exported, name));
}

test('a database with a following standby is healthy', async () => {
  await demand('*');
  const all = await findings();
  // Not checked: no process of the service runs here, and this machine may have an old Node.
  const others = all.filter(({ check }) => !['service', 'node'].includes(check));
  expect(others.filter(({ status }) => status !== 'ok')).toEqual([]);
  expect(of(all, 'replication')?.seen).toMatch(
    /^standbys that stream: 1 of 1 expected, 1 synchronous, .*; unused slots: none$/,
  );
  expect(await figures()).toEqual([1, 1, 0]);
});

test('a role that may not see standbys is told this, and not that standbys are missing', async () => {
  const all = await findings(ofStranger);
  expect(of(all, 'replication')).toEqual({
    check: 'replication',
    status: 'warn',
    seen: 'standbys connected: 1 of 1 expected, their state cannot be seen; unused slots: none',
    advice: expect.stringContaining('grant pg_monitor to stranger'),
  });
  expect(of(all, 'transactions')).toMatchObject({
    status: 'warn',
    seen: expect.stringContaining('of stranger alone'),
    advice: expect.stringContaining('grant pg_monitor to stranger'),
  });
  expect(await figures(ofStranger)).toEqual([undefined, 1, 0]);
});

test('a required but missing standby is reported, because it holds up every commit', async () => {
  await demand('2 (*)');
  expect(await replication()).toMatchObject({
    status: 'bad',
    advice: expect.stringMatching(/^Every commit waits for synchronous_standby_names = 2 \(\*\)/),
  });
});

test('the advice for a lost standby is to start it again, and not to drop its slot', async () => {
  await demand('');
  await replica.end();
  await untilFollowed(0);
  for (const url of [ofMonitor, ofStranger]) {
    expect(await replication(url)).toMatchObject({
      status: 'bad',
      seen: expect.stringMatching(/^standbys that stream: 0 of 1 expected.*; unused slots: follower \(\d+ MB\)$/),
      advice: expect.stringMatching(/^A standby is lost(?!.*\bdrop\b)/),
    });
  }
  expect(await figures()).toEqual([0, 1, 0]);
  expect(await figures(ofStranger)).toEqual([0, 1, 0]);
  // No setting says that there should be one.
  expect(await replication(ofMonitor, '0')).toMatchObject({
    status: 'warn',
    advice: expect.stringMatching(/^Nobody reads slot follower, .* start the standby .* Drop the slot only when/),
  });
});

test('a standby that is back is healthy again', async () => {
  await replica.start();
  await untilFollowed(1);
  expect(await replication()).toMatchObject({ status: 'ok' });
});

test('a standby that receives the log but does not replay it is reported until it does', async () => {
  await replica.pause();
  await sql`select pg_logical_emit_message(true, 'test', 'x')`.execute(admin);
  expect(await replication()).toMatchObject({
    status: 'warn',
    advice: expect.stringContaining('docs/runbook.md#standby-behind'),
  });
  await replica.resume();
  expect(await replication()).toMatchObject({ status: 'ok' });
});

test('the lag grows while a mark of the log is not replayed, and there is none without a standby', () => {
  const lag = replayWatch();
  const looks = [
    [100, 90],
    [200, 99],
    [300, 99],
    [300, 100],
    [400, 299],
    [500, null],
    [500, 500],
  ] as const;
  expect(looks.map(([written, replayed], turn) => lag({ written, replayed }, turn * 15_000))).toEqual([
    0, 15, 30, 0, 15, 0, 0,
  ]);
});

test('an archive that refuses the log is reported until it accepts it again', async () => {
  const archive = async (command: string, fails: boolean) => {
    await sql`alter system set archive_command = ${sql.lit(command)}`.execute(admin);
    await sql`select pg_reload_conf()`.execute(admin);
    await waitFor(
      async () => {
        // The archiver may take a segment before it has read the setting. An empty one is not switched.
        await sql`select pg_logical_emit_message(false, 'test', 'x'), pg_switch_wal()`.execute(admin);
        await sleep(500);
        const { rows } = await sql<{ fails: boolean }>`
          select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as fails
          from pg_stat_archiver`.execute(admin);
        return rows[0]?.fails === fails;
      },
      `the archive to ${fails ? 'refuse' : 'take'} the log`,
    );
  };
  await archive('/bin/false', true);
  expect(of(await findings(), 'disk')).toMatchObject({
    status: 'bad',
    advice: expect.stringContaining('Mend the archive'),
  });
  expect(await figures()).toEqual([1, 1, 1]);
  await archive('/bin/true', false);
  expect(of(await findings(), 'disk')).toMatchObject({ status: 'ok' });
});

test('an invalidated slot is reported, because its standby must be copied again', async () => {
  await replica.end();
  await untilFollowed(0);
  await sql`alter system set max_slot_wal_keep_size = '1MB'`.execute(admin);
  await sql`select pg_reload_conf()`.execute(admin);
  await waitFor(async () => {
    await sql`select pg_logical_emit_message(false, 'test', 'x'), pg_switch_wal()`.execute(admin);
    await sql`checkpoint`.execute(admin);
    const { rows } = await sql<{ status: string }>`
      select wal_status as status from pg_replication_slots`.execute(admin);
    return rows[0]?.status === 'lost';
  }, 'the slot to be given up');
  expect(await replication()).toMatchObject({
    status: 'bad',
    seen: expect.stringContaining('unused slots: follower (given up)'),
    advice: expect.stringMatching(/^Slot follower was given up.*reinit/),
  });
});
