/**
 * Measures the bytes that an order adds to the log (WAL) and to tables with their indexes: npx tsx lab/bench/volume.ts
 * [--orders 1000]. Creates orders of three packages through one process of the API, records movements and delivers
 * them. The embedded PostgreSQL makes no checkpoint in that time. docs/scale.md computes with these figures.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import type { Query } from '../../generated/graphql.js';
import { apiKeyOf, exampleText, graphql } from '../../scripts/demo/customer.js';
import type { Db } from '../../src/db/connect.js';
import { orderBody, packageBody } from '../../test/support/bodies.js';
import { accessToken, ask, type Login } from '../../test/support/http.js';
import { startPostgres } from '../../test/support/postgres.js';
import { fromSource } from '../../test/support/processes/child.js';
import { newCustomer } from '../../test/support/processes/orders.js';
import { openStageOn } from '../../test/support/processes/stage.js';
import { operatorLogin } from '../../test/support/service.js';

const { values } = parseArgs({ options: { orders: { type: 'string', default: '1000' } } });
const orders = Number(values.orders);
const CLIENTS = 8;
const MOVEMENTS_AT_ONCE = 100;

const postgres = await startPostgres({
  settings: { autovacuum: 'off', checkpoint_timeout: '1h', max_wal_size: '16GB' },
});
const stage = await openStageOn(postgres.url, fromSource);
const { db } = stage;

interface Volume {
  wal: number;
  images: number;
  /** Bytes of each table with its indexes. A partition counts for its table. */
  tables: Map<string, number>;
}

async function volumeOf(trx: Db): Promise<Volume> {
  const { rows } = await sql<{ wal: string; images: string }>`
    select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as wal, wal_fpi as images from pg_stat_wal`.execute(trx);
  const { rows: tables } = await sql<{ name: string; bytes: string }>`
    select coalesce(pg_partition_root(oid), oid::regclass)::text as name, sum(pg_total_relation_size(oid)) as bytes
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace group by 1`.execute(trx);
  const bytesOf = new Map(tables.map(({ name, bytes }) => [name, Number(bytes)]));
  return { wal: Number(rows[0]?.wal), images: Number(rows[0]?.images), tables: bytesOf };
}

/** Prints the bytes that the work added, for each of `count`. */
async function measured(what: string, count: number, work: () => Promise<unknown>): Promise<void> {
  const before = await volumeOf(db);
  await work();
  // A process reports its figures of the log only when it is idle.
  await sleep(1_500);
  const after = await volumeOf(db);
  const grown = [...after.tables]
    .map(([name, bytes]) => ({ name, bytes: (bytes - (before.tables.get(name) ?? 0)) / count }))
    .filter(({ bytes }) => Math.abs(bytes) >= 20)
    .sort((one, other) => other.bytes - one.bytes);
  const stored = grown.reduce((sum, { bytes }) => sum + bytes, 0);
  console.log(
    `\n${what}: ${((after.wal - before.wal) / count).toFixed(0)} B of log (${((after.images - before.images) / count).toFixed(2)} page images), ${stored.toFixed(0)} B stored`,
  );
  for (const { name, bytes } of grown) console.log(`  ${name.padEnd(34)} ${bytes.toFixed(0).padStart(7)}`);
}

/** Runs so many pieces of work, several at once. */
async function inParallel(count: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const client = async () => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

async function post(url: string, path: string, token: string, body: object, key?: string): Promise<string> {
  const headers = key === undefined ? {} : { 'Idempotency-Key': key };
  const { status, text } = await ask(url, 'POST', path, { token, headers, body });
  if (status >= 400) throw new Error(`${path} answered ${status} ${text}`);
  return text;
}

const placeOrders = (url: string, token: string, keys: string[], isKeyed: boolean) =>
  inParallel(orders, async () => {
    const body = { ...orderBody(), packages: [packageBody, packageBody, packageBody] };
    const text = await post(url, '/api/v1/orders', token, body, isKeyed ? randomUUID() : undefined);
    const { packages }: { packages: { loggi_key: string }[] } = JSON.parse(text);
    keys.push(...packages.map(({ loggi_key }) => loggi_key));
  });

/** Orders of three packages and two pickups, with the answer of the guide's example. */
async function placeByGraphql(url: string, account: Login): Promise<void> {
  const authorization = `ApiKey ${account.email}:${await apiKeyOf(url, account)}`;
  const query = '{ paymentMethods { id } }';
  const { paymentMethods } = await graphql<Pick<Query, 'paymentMethods'>>(url, query, authorization);
  const variables = { paymentMethod: paymentMethods[0]?.id };
  const body = { query: await exampleText('create-order.graphql'), variables };
  await inParallel(orders, async () => {
    const headers = { authorization, 'Idempotency-Key': randomUUID() };
    const { text } = await ask(url, 'POST', '/graphql', { headers, body });
    if (!text.includes('"success":true')) throw new Error(`createOrder answered ${text}`);
  });
}

const movePackages = (url: string, token: string, keys: readonly string[]) =>
  inParallel(Math.ceil(keys.length / MOVEMENTS_AT_ONCE), async (at) => {
    const batch = keys.slice(at * MOVEMENTS_AT_ONCE, (at + 1) * MOVEMENTS_AT_ONCE);
    const location = { city: 'Campinas', state: 'SP' };
    const happened = { status_code: 14, happened_at: new Date().toISOString(), location };
    const movements = batch.map((loggi_key) => ({ id: randomUUID(), loggi_key, ...happened }));
    await post(url, '/operator/v1/movements', token, { movements });
  });

async function untilSent(): Promise<void> {
  for (;;) {
    const { rows } = await sql<{
      waiting: number;
    }>`select count(*)::integer as waiting from webhook_notifications`.execute(db);
    if (rows[0]?.waiting === 0) return;
    await sleep(200);
  }
}

async function run(): Promise<void> {
  const receiver = await stage.openReceiver();
  const service = await stage.start('api', [receiver.port]);
  const { url } = service;
  const operator = await accessToken(url, operatorLogin);
  const plain = { email: 'ana@malote.test', password: 'a password of a customer' };
  await post(url, '/api/v1/users', operator, { ...plain, name: 'Ana Souza', phone: '+5511912345678' });
  const token = await accessToken(url, plain);
  const keys: string[] = [];
  await placeOrders(url, token, [], false);
  await measured('an order of 3 packages', orders, () => placeOrders(url, token, keys, false));
  await measured('the same with an Idempotency-Key', orders, () => placeOrders(url, token, [], true));
  await measured('the same by GraphQL, of 2 pickups', orders, () => placeByGraphql(url, operatorLogin));
  await measured('a movement', keys.length, () => movePackages(url, operator, keys));
  await measured('one more movement of each package', keys.length, () => movePackages(url, operator, keys));

  const notified = await accessToken(url, await newCustomer(stage, receiver));
  const notifiedKeys: string[] = [];
  await measured('an order of 3 packages, each delivered once', orders, async () => {
    await placeOrders(url, notified, notifiedKeys, false);
    await untilSent();
  });
  await measured('a movement and its delivery', notifiedKeys.length, async () => {
    await movePackages(url, operator, notifiedKeys);
    await untilSent();
  });
}

try {
  await run();
} finally {
  await stage.close();
  await postgres.stop();
}
