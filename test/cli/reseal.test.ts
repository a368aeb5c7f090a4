import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { type App, createApp } from '../../src/app/index.js';
import { loadConfig } from '../../src/base/config.js';
import { sealedBy } from '../../src/base/secrets/seal.js';
import type { Db } from '../../src/db/connect.js';
import { sealedTables } from '../../src/db/tables/sealed.js';
import { rotateSigningSecret } from '../../src/endpoints/endpoints.js';
import { openSecrets } from '../../src/endpoints/secrets.js';
import { ring } from '../domain/accounts-fixtures.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { accessToken, ask } from '../support/http.js';
import { recordSettings } from '../support/records.js';
import { operatorLogin, serviceSettings } from '../support/service.js';
import { beside, saying } from './malote.js';

let database: TestDatabase;
const started: App[] = [];
afterEach(async () => {
  for (const app of started.splice(0)) await app.stop();
  await database.drop();
});

const text = (...names: [string, ...string[]]) =>
  ring(...names)
    .map(({ id, secret }) => `${id}:${secret.toString('base64')}`)
    .join(',');
const settings = (keys: string) => ({
  ...serviceSettings(database.url, join(tmpdir(), `malote-test-keys-${process.pid}`)),
  ...recordSettings,
  NODE_ENV: 'test',
  ENCRYPTION_KEYS: keys,
});
const start = async (keys: string, parts = {}) => {
  const config = loadConfig({ ...settings(keys), DATABASE_CONNECT_TIMEOUT_MS: '20000' });
  const app = await createApp(config, { worker: false, ...parts });
  started.push(app);
  return app;
};

/** Registers an endpoint with an idempotency key. Resolves to the answer, which has the signing secret. */
async function register(url: string, key: string) {
  const token = await accessToken(url, operatorLogin);
  const { id } = await database.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
  const body = { user_id: id, url: `https://localhost:8443/${key}`, username: 'u', password: 'the password' };
  const request = { token, body, headers: { 'Idempotency-Key': key } };
  const { status, headers, text: answer } = await ask(url, 'POST', '/operator/v1/webhook-endpoints', request);
  return { status, replayed: headers.get('idempotent-replayed'), body: JSON.parse(answer) };
}

const endpointRow = (id: string) =>
  database.db.selectFrom('webhook_endpoints').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** The ids of all keys that seal a value of the database. */
async function keysInUse(db: Db): Promise<string[]> {
  const endpoints = await db.selectFrom('webhook_endpoints').selectAll().execute();
  const answers = await db.selectFrom('idempotency_keys').selectAll().execute();
  const sealed = [
    ...endpoints.flatMap((row) => [row.password_sealed, row.secret_sealed, row.previous_secret_sealed]),
    ...answers.flatMap((row) => [row.fingerprint, row.answer]),
  ];
  return [...new Set(sealed.flatMap((bytes) => (bytes ? [sealedBy(bytes) ?? ''] : [])))].sort();
}

const reasons = async (app: App) => (await app.probes.obstacles()).map(({ text: reason }) => reason);

test('API and worker are not ready without a needed key of ENCRYPTION_KEYS, until the values are resealed', async () => {
  database = await createDatabase();
  const first = await start(text('k1'));
  const registration = await register(first.url ?? '', 'first');
  expect(registration.status).toBe(201);
  await rotateSigningSecret(database.db, ring('k1'), registration.body.endpoint.id);
  expect(await reasons(first)).toEqual([]);
  await first.stop();
  for (const parts of [{}, { api: false, worker: true }]) {
    const without = await start(text('k2'), parts);
    expect(await reasons(without)).toEqual([
      'ENCRYPTION_KEYS lacks keys that the database is sealed with: "k1" (secrets of webhook endpoints, answers kept for idempotency keys); give them after the first, until "malote keys reseal" has run',
    ]);
    const answer = await fetch(`${without.internalUrl}/readyz`);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toMatch(/^not ready: ENCRYPTION_KEYS .*\n$/);
    expect(await without.probes.metrics.metrics()).toContain('malote_not_ready{reason="keys"} 1');
    await without.stop();
  }

  const both = await start(text('k2', 'k1'));
  const commands = beside(settings(text('k2', 'k1')));
  const result = await commands.json(['keys', 'reseal']);
  const resealed = { 'secrets of webhook endpoints': 1, 'answers kept for idempotency keys': 1 };
  expect(result).toMatchObject({ key: 'k2', resealed });
  expect(await keysInUse(database.db)).toEqual(['k2']);
  await both.stop();

  const after = await start(text('k2'));
  expect(await register(after.url ?? '', 'first')).toEqual({ ...registration, replayed: 'true' });
  const secrets = openSecrets(ring('k2'), await endpointRow(registration.body.endpoint.id));
  const signingSecrets = [expect.any(String), registration.body.signing_secret];
  expect(secrets).toMatchObject({ password: 'the password', signingSecrets });
  await after.stop();
  // The unused key is no longer required. The used key is.
  expect(await reasons(await start(text('k3')))).toEqual([expect.stringMatching(/lacks keys [^;]*: "k2" [^;]*;/)]);
});

/** Makes a database with an endpoint that a stopped service sealed by this key. Resolves to its answer, too. */
async function sealedWith(name: string) {
  database = await createDatabase();
  const app = await start(text(name));
  const registration = await register(app.url ?? '', 'first');
  await app.stop();
  return registration;
}

test('a missing key is found even in a database without the list of used keys', async () => {
  await sealedWith('k1');
  await database.db.deleteFrom('sealing_keys').execute();
  expect(await reasons(await start(text('k2')))).toEqual([expect.stringContaining('"k1"')]);
});

test('a key with the right name and another secret is detected', async () => {
  await sealedWith('k1');
  const other = `k1:${Buffer.alloc(32, 99).toString('base64')}`;
  expect(await reasons(await start(other))).toEqual([
    'ENCRYPTION_KEYS has other secrets than those that the database is sealed with: "k1" (secrets of webhook endpoints, answers kept for idempotency keys)',
  ]);
});

test('resealing does only the remaining work, page by page, while a service writes', async () => {
  const registration = await sealedWith('k1');
  await sql`
    insert into webhook_endpoints (id, account_id, url, username, password_sealed, secret_sealed, lane_count, deleted_at)
    select gen_random_uuid(), account_id, url || n, username, '', '', 1, now()
    from webhook_endpoints, generate_series(1, 1500) n`.execute(database.db);
  await sql`
    insert into idempotency_keys (account_id, operation, key, door, fingerprint, answer, created_at)
    select account_id, operation, 'expired', door, 'x', 'x', now() - interval '25 hours' from idempotency_keys`.execute(
    database.db,
  );
  // Copies that cannot be opened show that resealing does not read finished values again.
  const commands = beside(settings(text('k2', 'k1')));
  const service = await start(text('k2', 'k1'));
  await register(service.url ?? '', 'second');
  const rotate = () => rotateSigningSecret(database.db, ring('k2', 'k1'), registration.body.endpoint.id);
  const running = commands.json(['keys', 'reseal']);
  let latest = await rotate();
  for (let rotation = 1; rotation <= 10; rotation += 1) latest = await rotate();
  expect(await running).toMatchObject({
    key: 'k2',
    // The new key had already sealed the second of the two.
    resealed: { 'secrets of webhook endpoints': 1, 'answers kept for idempotency keys': 1 },
  });
  const { signingSecrets } = openSecrets(ring('k2'), await endpointRow(registration.body.endpoint.id));
  expect(signingSecrets[0]).toBe(latest.signingSecret);
  await service.stop();
  const again = await commands.json(['keys', 'reseal']);
  const nothing = { 'secrets of webhook endpoints': 0, 'answers kept for idempotency keys': 0 };
  expect(again).toMatchObject({ key: 'k2', resealed: nothing });
});

test('resealing stops with one line at a value that the ring cannot open', async () => {
  const { body } = await sealedWith('k1');
  const commands = beside(settings(text('k2')));
  expect(await commands.run(['keys', 'reseal'])).toMatchObject(
    saying(new RegExp(`^malote: .*${body.endpoint.id}.*not in the ring\\.\n$`)),
  );
});

test('ENCRYPTION_KEYS seal every column of bytes, except columns without secrets', async () => {
  database = await createDatabase();
  const { rows } = await sql<{ name: string }>`
    select relname || '.' || attname as name from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and atttypid = 'bytea'::regtype
      and attnum > 0 and not attisdropped`.execute(database.db);
  const hashes = [
    'api_keys.hash',
    'members.link_hash',
    'operator_keys.hash',
    'operator_sessions.hash',
    'delivery_pictures.sent_hash',
  ];
  const plain = [
    'webhook_deliveries.body',
    'sign_in_networks.network',
    'collections.fingerprint',
    'rate_tables.file',
    'brands.logo',
    ...hashes,
  ];
  const sealed = sealedTables.flatMap(({ table, sealed: columns }) => columns.map((name) => `${table}.${name}`));
  expect(rows.map(({ name }) => name).sort()).toEqual([...plain, ...sealed].sort());
});
