import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { startDatabaseFigures } from '../../src/app/database-figures.js';
import { createLog } from '../../src/base/telemetry/log.js';
import { readCommit } from '../../src/base/version.js';
import { movementTo, orderBody } from '../support/bodies.js';
import { ownFolder } from '../support/folder.js';
import { ask, clientsFor, must } from '../support/http.js';
import { waitFor } from '../support/receiver.js';
import { newRecords, recordSettings } from '../support/records.js';
import { ownService } from '../support/services.js';
import { type Exported, exportedIn, sampleOf } from './exported.js';

const folder = await ownFolder();
const service = await ownService(recordSettings);

const read = async (): Promise<Exported> => exportedIn(await service.app.probes.metrics.metrics());
const REQUESTS = 'http_request_duration_seconds_count';

test('requests are counted by interface, operation and status; other paths count as unknown', async () => {
  const { url, operator } = service;
  await ask(url, 'GET', `/api/v1/orders/${crypto.randomUUID()}`, { token: operator.token });
  await ask(url, 'GET', `/stray/${crypto.randomUUID()}`);
  await ask(url, 'PATCH', '/api/v1/orders', { token: operator.token });
  await ask(url, 'GET', '/docs/openapi.json');
  const graphql = (query: string) => ask(url, 'POST', '/graphql', { body: { query } });
  await graphql('{ a: me { pk } }');
  await graphql('{ __typename }');
  await graphql('{ nobody }');
  await graphql('mutation { login(input: { email: "a@malote.test", password: "wrong pass" }) { user { email } } }');
  const exported = await read();
  const counted = (interfaceName: string, operation: string, status: string) =>
    sampleOf(exported, REQUESTS, { interface: interfaceName, operation, status });
  expect([
    counted('rest', 'getOrder', '404'),
    counted('none', 'unknown', '404'),
    counted('none', 'unknown', '405'),
    counted('rest', 'getDocs', '200'),
    counted('graphql', 'me', '401'),
    counted('graphql', '__typename', '200'),
    counted('graphql', 'unknown', '200'),
    counted('graphql', 'login', '200'),
    sampleOf(exported, 'malote_login_refusals_total', { reason: 'credentials' }),
  ]).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1]);
});

test('orders and movements are counted by outcome, and a replay is not counted again', async () => {
  const before = await read();
  const shipper = await service.customer();
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  const body = orderBody();
  const order = must(await shipper.rest.POST('/api/v1/orders', { body, headers }));
  must(await shipper.rest.POST('/api/v1/orders', { body, headers }));
  const movement = movementTo(order.packages[0]?.loggi_key ?? '');
  const reported = { movements: [movement, movement, { ...movement, id: crypto.randomUUID(), status_code: 1 }] };
  must(await service.operator.operator.POST('/operator/v1/movements', { body: reported }));
  const after = await read();
  const rise = (metric: string, labels: Record<string, string>) =>
    (sampleOf(after, metric, labels) ?? 0) - (sampleOf(before, metric, labels) ?? 0);
  expect([
    rise('malote_orders_created_total', { interface: 'rest' }),
    ...['recorded', 'duplicate', 'refused'].map((result) => rise('malote_movements_reported_total', { result })),
    rise('malote_batch_size_count', { kind: 'orders' }),
    rise('malote_batch_size_sum', { kind: 'movements' }),
  ]).toEqual([1, 1, 1, 1, 1, 3]);
});

test('a process exports its version and its pools', async () => {
  const exported = await read();
  expect(sampleOf(exported, 'malote_database_pool_connections', { pool: 'main' })).toBeGreaterThan(0);
  expect(sampleOf(exported, 'malote_database_pool_waiting', { pool: 'main' })).toBe(0);
  expect(sampleOf(exported, 'malote_build_info')).toBe(1);
});

test('a build exports its commit, and a checkout exports that its commit is unknown', async () => {
  expect(sampleOf(await read(), 'malote_build_info', { commit: 'unknown' })).toBe(1);
  const file = join(folder, 'commit');
  const written = (text: string) => writeFile(file, text).then(() => readCommit(pathToFileURL(file)));
  expect(await written('12573e31564e-dirty\n')).toBe('12573e31564e-dirty');
  // A build without a repository writes these.
  expect([await written(''), await written('unknown\n')]).toEqual(['unknown', 'unknown']);
  await rm(file);
  expect(readCommit(pathToFileURL(file))).toBe('unknown');
});

test('one process exports the figures of the database, without disabled endpoints, unless they cannot be read', async () => {
  const { endpointId, token } = await newRecords(service);
  must(await clientsFor(service.url, token).rest.POST('/api/v1/orders', { body: orderBody() }));
  const { db } = service;
  const log = createLog({ level: 'silent' });
  const rivals = [new Registry(), new Registry()].map((registry) => ({
    registry,
    stop: startDatabaseFigures({ db, log, registry, standbys: 0, everyMs: 100 }),
  }));
  const allTold = async () => Promise.all(rivals.map(async ({ registry }) => exportedIn(await registry.metrics())));
  const told = async () => (await allTold()).filter((exported) => exported.has('malote_webhook_dead_letters'));
  const figure = async (metric: string, labels?: Record<string, string>) => {
    const [exported = new Map()] = await told();
    return sampleOf(exported, metric, labels);
  };
  const depth = () => figure('malote_webhook_queue_depth', { state: 'ready' });
  // The service of this file holds the lease, and may take it again before a rival does.
  await waitFor(async () => {
    const { length } = await told();
    if (length === 0) await db.deleteFrom('leases').execute();
    return length === 1;
  }, 'one of two to tell them');
  // A late process loses the lease for a moment, and then exports no figures.
  const areTold = async () =>
    (await depth()) === 1 &&
    (await figure('malote_webhook_dead_letters')) === 1 &&
    (await figure('malote_tasks_open')) === 2 &&
    (await figure('malote_migrations', { state: 'pending' })) === 0 &&
    Number(await figure('malote_clock_difference_seconds')) < 600;
  await waitFor(areTold, 'the figures of what there is');
  const disabled = { disabled_at: new Date(), disabled_reason: 'operator' } as const;
  await db.updateTable('webhook_endpoints').set(disabled).where('id', '=', endpointId).execute();
  // Separate statements read these figures.
  const isLeftOut = async () =>
    (await depth()) === 0 && (await figure('malote_webhook_endpoints', { state: 'disabled' })) === 1;
  await waitFor(isLeftOut, 'the queue without the endpoint');
  await sql`alter table leases rename to leases_away`.execute(db);
  const areAbsent = async () => !(await allTold()).some((exported) => exported.has('malote_clock_difference_seconds'));
  await waitFor(areAbsent, 'nobody to tell what cannot be read');
  expect(await told()).toEqual([]);
  await sql`alter table leases_away rename to leases`.execute(db);
  await waitFor(async () => (await told()).length === 1, 'one of two to tell them again');
  await Promise.all(rivals.map(({ stop }) => stop()));
  expect(await db.selectFrom('leases').where('name', 'not like', 'well: %').selectAll().execute()).toEqual([]);
});
