import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach } from '@jest/globals';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { type TrackingPayload, trackingSchema } from '../../generated/tracking-webhook.js';
import type { KeyRing } from '../../src/base/secrets/keys.js';
import { createLog } from '../../src/base/telemetry/log.js';
import type { Db } from '../../src/db/connect.js';
import { addressRules } from '../../src/endpoints/addresses.js';
import { createEndpoint } from '../../src/endpoints/endpoints.js';
import { movePackages } from '../../src/packages/move-packages.js';
import { type Claim, claimLanes } from '../../src/queue/claim.js';
import type { AttemptResult } from '../../src/queue/record.js';
import { standardSchedule } from '../../src/queue/schedule.js';
import { createWorker, type WebhookWorker, type WorkerOptions } from '../../src/webhook/index.js';
import type { ClaimedDelivery } from '../../src/webhook/next-deliveries.js';
import { standardSettings, type WorkerSettings } from '../../src/webhook/settings.js';
import { createSlots } from '../../src/webhook/slots.js';
import { makeOrdered, movement } from '../domain/orders-fixtures.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { atEndOfWorker } from '../support/jest/end-of-worker.js';
import { type Authority, createAuthority, type Receiver, startReceiver } from '../support/receiver.js';

export { drained, pending } from '../support/queue.js';

export const ring: KeyRing = [{ id: 'test', secret: randomBytes(32) }];
export const silent = createLog({ level: 'silent' });
export const authority = await createAuthority();

/** Settings with pauses of milliseconds in place of seconds and hours. */
const hasty: Partial<WorkerSettings> = {
  schedule: {
    ...standardSchedule,
    pausesMs: { delivery: [20, 40, 60, 80], replay: [20, 40], test: [] },
  },
  sweepMs: 100,
  trialMs: 100,
  deadlineMs: 20_000,
  connectMs: 20_000,
  stopMs: 2_000,
};

interface Registered {
  id: string;
  signingSecret: string;
}

export async function register(
  db: Db,
  accountId: string,
  { url }: { url: string },
  more: { lanes?: number; password?: string; username?: string; catchUp?: boolean } = {},
): Promise<Registered> {
  const { lanes = 1, username = 'malote', password = 'p4ss', catchUp = false } = more;
  const destination = { url: new URL(url), username, password };
  const { endpoint, signingSecret } = await createEndpoint(db, ring, { accountId, destination, lanes, catchUp });
  return { id: endpoint.id, signingSecret };
}

/** Rules that allow requests to these receivers on this machine. */
export const rulesFor = (receivers: readonly Pick<Receiver, 'port'>[]) =>
  addressRules(
    ['127.0.0.0/8', '::1/128'],
    receivers.map(({ port }) => port),
  );

export function workerFor(
  db: Db,
  authority: Authority,
  receivers: readonly Pick<Receiver, 'port'>[],
  more: Partial<WorkerOptions> = {},
): WebhookWorker {
  return createWorker({
    db,
    log: silent,
    encryptionKeys: ring,
    addresses: rulesFor(receivers),
    extraCa: authority.cert,
    ...more,
    settings: { ...hasty, ...more.settings },
  });
}

/** Makes packages of a customer who has no endpoint yet. */
export async function shipped(db: Db, packages = 1): Promise<{ accountId: string; keys: string[] }> {
  const { owner, keys } = await makeOrdered(db, packages);
  return { accountId: owner.accountId, keys };
}

/** Moves each package once, in the order of the keys. */
export async function move(db: Db, keys: readonly string[], statusCode = 17): Promise<void> {
  await movePackages(
    db,
    keys.map((key) => movement(key, statusCode)),
  );
}

let shared: Promise<TestDatabase> | undefined;
atEndOfWorker(async () => (await shared)?.drop());

const queueTables = ['requests', 'notifications', 'attempts', 'deliveries', 'lanes', 'endpoints'] as const;

/** The database that test files of one process share for the queue of deliveries. Empties the queue. */
export async function emptyQueue(): Promise<Db> {
  shared ??= createDatabase();
  const { db } = await shared;
  for (const table of queueTables) await db.deleteFrom(`webhook_${table}`).execute();
  return db;
}

/** Gives each test a database, with a customer who has packages and one endpoint. */
export function eachOwnQueue(packages = 1): { readonly db: Db; readonly keys: readonly string[] } {
  let current: { db: Db; keys: string[]; drop: () => Promise<void> };
  beforeEach(async () => {
    const { db, drop } = await createDatabase();
    const { accountId, keys } = await shipped(db, packages);
    await register(db, accountId, { url: 'https://receiver.test/' });
    current = { db, keys, drop };
  });
  afterEach(() => current.drop());
  return {
    get db() {
      return current.db;
    },
    get keys() {
      return current.keys;
    },
  };
}

interface SceneOptions extends Partial<WorkerOptions> {
  packages?: number;
  endpoints?: number;
  lanes?: number;
}

/** A customer with packages and endpoints at a receiver, an empty queue, and a worker that is not started. */
export async function openScene({ packages = 1, endpoints: count = 1, lanes = 1, ...options }: SceneOptions = {}) {
  const db = await emptyQueue();
  const receiver = await startReceiver({ authority });
  const { accountId, keys } = await shipped(db, packages);
  const endpoints: Registered[] = [];
  while (endpoints.length < count) {
    const url = `${receiver.url}${endpoints.length > 0 ? `/${endpoints.length}` : ''}`;
    endpoints.push(await register(db, accountId, { url }, { lanes }));
  }
  const worker = workerFor(db, authority, [receiver], options);
  const others: WebhookWorker[] = [];
  /** Starts a further worker. */
  const start = (more: Partial<WorkerOptions> = {}): WebhookWorker => {
    const other = workerFor(db, authority, [receiver], { ...options, ...more });
    others.push(other);
    other.start();
    return other;
  };
  const close = async () => {
    await Promise.all([worker, ...others].map((each) => each.stop()));
    await receiver.close();
  };
  return {
    ...{ db, receiver, accountId, keys, worker, start, close },
    get endpoint(): Registered {
      const [first] = endpoints;
      if (!first) throw new Error('the scene has no endpoint');
      return first;
    },
  };
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** Opens a scene for each test, gives it to `use`, and closes it after the test. */
export function eachScene(use: (scene: Scene) => void, options: SceneOptions = {}): void {
  let current: Scene;
  beforeEach(async () => {
    current = await openScene(options);
    use(current);
  });
  afterEach(() => current.close());
}

export const attemptsOf = (db: Db) => db.selectFrom('webhook_attempts').selectAll().orderBy('id').execute();

const validate = formats.default(new Ajv()).compile<TrackingPayload>(trackingSchema);

/** The parsed body of a delivery, checked against the published schema. */
export function payloadOf({ body }: { body: Buffer }): TrackingPayload {
  const payload: unknown = JSON.parse(body.toString('utf8'));
  if (!validate(payload)) throw new Error(JSON.stringify(validate.errors));
  return payload;
}

const freeSlots = createSlots(standardSettings).free();

export const claimDue = (db: Db, leaseMs = 30_000): Promise<Claim[]> => claimLanes(db, { ...freeSlots, leaseMs });

/** The record that a worker makes of an acknowledged delivery. */
export const acknowledged = ({ claim: { laneId, claimId, endpoint }, webhookId }: ClaimedDelivery): AttemptResult => ({
  laneId,
  claimId,
  endpointId: endpoint.id,
  webhookId,
  number: 1,
  replay: false,
  verdict: { kind: 'acknowledged' },
  outcome: 'acknowledged',
  attemptedAt: new Date(),
  durationMs: 5,
  statusCode: 200,
  error: null,
  responseBody: '',
  slowAccountId: null,
});
