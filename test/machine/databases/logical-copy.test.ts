import { afterEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { createLog } from '../../../src/base/telemetry/log.js';
import { migrate } from '../../../src/db/migrations/migrate.js';
import { beside } from '../../cli/malote.js';
import { movement, placeOrder, record } from '../../operator/fixtures.js';
import { execute } from '../../support/database.js';
import { clientsFor, must } from '../../support/http.js';
import { startPostgres } from '../../support/postgres.js';
import { waitFor } from '../../support/receiver.js';
import { startService } from '../../support/service.js';

/** A service moves to another server by logical replication (docs/backup.md), while its clients go on polling. */

async function rows<T extends pg.QueryResultRow>(url: string, statement: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Makes a server give out transaction numbers, so that it is ahead of the other server. */
const advance = (url: string) =>
  execute(url, 'do $$ begin for i in 1..20000 loop perform pg_current_xact_id(); commit; end loop; end $$');

/** For tables without a primary key, the old server must send whole rows. */
const WITHOUT_KEY = `
  select format('alter table %s replica identity full', oid::regclass) as call from pg_class
  where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and relreplident = 'd'
    and not exists (select from pg_index where indrelid = pg_class.oid and indisprimary)`;

const SEQUENCES = `
  select format('select setval(%L, %s)', format('%I.%I', schemaname, sequencename), last_value + 1) as call
  from pg_sequences where last_value is not null`;

const calls = async (url: string, query: string): Promise<string[]> =>
  (await rows<{ call: string }>(url, query)).map(({ call }) => call);

async function copy(from: string, to: string): Promise<void> {
  for (const call of await calls(from, WITHOUT_KEY)) await execute(from, call);
  await execute(from, 'create publication malote for all tables with (publish_via_partition_root = true)');
  await migrate(to, createLog({ level: 'error' }));
  // The new server gets these rows from the old one, too.
  const tables = await calls(
    to,
    "select string_agg(oid::regclass::text, ', ') as call from pg_class where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace",
  );
  await execute(to, `set session_replication_role = replica; truncate ${tables.join()} cascade`);
  await execute(to, `create subscription malote connection '${from}' publication malote`);
  const left = `select from pg_subscription_rel where srsubstate <> 'r'`;
  await waitFor(async () => (await rows(to, left)).length === 0, 'the rows to be copied');
}

/** Moves the service when no process writes to the old server any more. */
async function moveOver(from: string, to: string): Promise<void> {
  const [{ lsn } = { lsn: '' }] = await rows<{ lsn: string }>(from, 'select pg_current_wal_lsn() as lsn');
  const arrived = `select from pg_stat_subscription where latest_end_lsn >= '${lsn}'::pg_lsn`;
  await waitFor(async () => (await rows(to, arrived)).length > 0, 'the last changes to arrive');
  await execute(to, 'drop subscription malote');
  for (const call of await calls(from, SEQUENCES)) await execute(to, call);
}

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function opened<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const started = await starting;
  ends.push(started.stop);
  return started;
}

test('a client that polls for changes misses none when the service moves to another server', async () => {
  const old = await opened(startPostgres({ settings: { wal_level: 'logical' } }));
  const next = await opened(startPostgres());
  await advance(old.url);
  const serviceAt = ({ url }: { url: string }) =>
    opened(startService({ DATA_DIR: old.folder, PUBLIC_URL: 'https://malote.example', DATABASE_URL: url }));
  const before = await serviceAt(old);
  const ana = await before.customer();
  const { packages } = await placeOrder(ana, 3);
  const list = (url: string, query: { updated_from?: string; cursor?: string }) =>
    clientsFor(url, ana.token).rest.GET('/api/v1/packages', { params: { query } });
  const { data, next_cursor: cursor = '' } = must(await list(before.url, { updated_from: '2020-01-01T00:00:00Z' }));
  expect(data).toHaveLength(3);

  await copy(old.url, next.url);
  await before.stop();
  await moveOver(old.url, next.url);

  const after = await serviceAt(next);
  expect((await list(after.url, { cursor })).response.status).toBe(503);
  const malote = beside({ DATABASE_URL: next.url });
  expect(await malote.json(['changes', 'renumber'])).toEqual({ renumbered: 4 });
  const read = async (from: string) => must(await list(after.url, { cursor: from }));
  await waitFor(async () => (await read(cursor)).data.length === 3, 'older transactions to end');
  const { next_cursor: later = '' } = await read(cursor);
  const [{ loggi_key: moved } = { loggi_key: '' }] = packages;
  await record(after.operator, movement(moved, { status_code: 3 }));
  await waitFor(async () => (await read(later)).data.length > 0, 'older transactions to end');
  expect((await read(later)).data.map(({ loggi_key: key }) => key)).toEqual([moved]);
  expect((await placeOrder({ ...ana, ...clientsFor(after.url, ana.token) }, 1)).packages).toHaveLength(1);
});
