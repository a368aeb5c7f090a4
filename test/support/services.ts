import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { createDatabase, type TestDatabase } from './database.js';
import { ownFolder } from './folder.js';
import { atEndOfWorker } from './jest/end-of-worker.js';
import { createAuthority, type ReceiverOptions, startReceiver } from './receiver.js';
import { type Service, startService } from './service.js';

let shared: Promise<Service> | undefined;

/** Usual settings: receivers of tests are on this machine, and requests come from many addresses. */
const usual = { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', TRUST_PROXY: '1' };
const withoutSender = { worker: false };

/** The service that the test files of a worker share, if they need no settings and no service of their own. */
export function sharedService(): Promise<Service> {
  shared ??= startService(usual, withoutSender);
  return shared;
}

/** Ends the shared service, whose clock follows another database, for a test that needs the process for itself. */
export async function endSharedService(): Promise<void> {
  const ending = shared;
  shared = undefined;
  await (await ending)?.stop();
}

atEndOfWorker(endSharedService);

/** A service of this test file, stopped after its tests. */
export async function ownService(...[env = usual, overrides = withoutSender]: Parameters<typeof startService>) {
  const service = await startService(env, overrides);
  afterAll(service.stop);
  return service;
}

/** A receiver of this test file, and the settings of a service that sends to it. */
export async function trustedReceiver(options: Omit<ReceiverOptions, 'authority'> = {}) {
  const authority = await createAuthority();
  const ca = join(await ownFolder(), 'ca.pem');
  await writeFile(ca, authority.cert);
  const receiver = await startReceiver({ authority, ...options });
  afterAll(receiver.close);
  const allowed = { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,::1/128', WEBHOOK_PORTS: String(receiver.port) };
  return { receiver, settings: { WEBHOOK_EXTRA_CA: ca, ...allowed } };
}

const ring = (byte: number): string => `k1:${Buffer.alloc(32, byte).toString('base64')}`;

/** A database of this test file, and the settings of replicas that share it and their keys. */
export async function replicated() {
  const { db, url: DATABASE_URL } = await ownDatabase();
  const keys = { JWT_KEYS: ring(7), ENCRYPTION_KEYS: ring(8), API_KEY_SECRETS: ring(9) };
  return { db, env: { DATABASE_URL, TRUST_PROXY: '1', ...keys } };
}

/** A database of this test file, dropped after its tests. */
export async function ownDatabase(...options: Parameters<typeof createDatabase>): Promise<TestDatabase> {
  const database = await createDatabase(...options);
  afterAll(database.drop);
  return database;
}
