import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Claim } from '../../src/outbox/claim.js';
import { enqueueNotifications } from '../../src/outbox/enqueue.js';
import { createFloors, type Floors } from '../../src/outbox/floors.js';
import { releaseLanes, wakeIdleLanes } from '../../src/outbox/lanes.js';
import { recordResults } from '../../src/outbox/record.js';
import type { WebhookWorker } from '../../src/webhook/index.js';
import { type ClaimedDelivery, nextDeliveries } from '../../src/webhook/next-deliveries.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { type Authority, createAuthority, type Receiver, startReceiver } from '../support/receiver.js';
import {
  acknowledged,
  attemptsOf,
  claimDue,
  drained,
  move,
  pending,
  register,
  shipped,
  silent,
  workerFor,
} from './support.js';

let database: TestDatabase;
let authority: Authority;
let receiver: Receiver;
let accountId: string;
let keys: string[];
let floors: Floors;
const workers: WebhookWorker[] = [];

beforeAll(async () => {
  authority = await createAuthority();
});
beforeEach(async () => {
  database = await createDatabase();
  floors = createFloors();
  receiver = await startReceiver({ authority });
  ({ accountId, keys } = await shipped(database.db));
  await register(database.db, accountId, receiver);
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  await receiver.close();
  await database.drop();
});

function startWorker(leaseMs = 30_000): WebhookWorker {
  const worker = workerFor(database.db, authority, [receiver], { settings: { leaseMs } });
  workers.push(worker);
  worker.start();
  return worker;
}

const claim = (leaseMs?: number): Promise<Claim[]> => claimDue(database.db, leaseMs);
const freeze = async (claims: readonly Claim[]): Promise<ClaimedDelivery[]> =>
  nextDeliveries({ db: database.db, floors, log: silent }, claims);
const lanes = () =>
  database.db.selectFrom('webhook_lanes').selectAll().where('number', '>=', 0).orderBy('id').execute();

describe('a worker that dies', () => {
  test('between claim and freeze leaves everything to the next one', async () => {
    await move(database.db, keys);
    await claim(100);
    startWorker();
    await drained(database.db);
    expect(receiver.received).toHaveLength(1);
  });

  test('between freeze and record leaves the same bytes under the same id', async () => {
    await move(database.db, keys, 17);
    const [delivery] = await freeze(await claim(100));
    await move(database.db, keys, 11);
    startWorker();
    await drained(database.db);
    const [first] = receiver.received;
    expect(receiver.received).toHaveLength(2);
    expect(first?.headers['webhook-id']).toBe(delivery?.webhookId);
    expect(first?.body.equals(delivery?.body ?? Buffer.alloc(0))).toBe(true);
  });

  test('keeps its lane until the lease runs out', async () => {
    await move(database.db, keys);
    const started = Date.now();
    await claim(400);
    startWorker();
    await receiver.until(1);
    expect(Date.now() - started).toBeGreaterThanOrEqual(400);
  });
});

test('a worker that lost its lease changes nothing, and its attempt is stored', async () => {
  await move(database.db, keys, 17);
  const [stale] = await freeze(await claim(0));
  const [current] = await freeze(await claim());
  if (!stale || !current) throw new Error('nothing was claimed');
  expect(current.webhookId).toBe(stale.webhookId);
  const before = await lanes();
  expect(await recordResults(database.db, [acknowledged(stale)], floors)).toEqual([{ kind: 'lease-lost' }]);
  expect(await lanes()).toEqual(before);
  expect(await pending(database.db)).toBe(1);
  expect(await attemptsOf(database.db)).toMatchObject([{ lease_lost: true }]);
  const [recorded] = await recordResults(database.db, [acknowledged(current)], floors);
  expect(recorded).toMatchObject({ kind: 'recorded', lane: 'idle', agesMs: [expect.any(Number)] });
  expect(await pending(database.db)).toBe(0);
});

test('a worker that lost its lease can neither freeze a delivery nor give the lane back', async () => {
  await move(database.db, keys, 17);
  const [stale] = await claim(0);
  const [current] = await claim();
  if (!stale || !current) throw new Error('nothing was claimed');
  expect(await freeze([stale])).toEqual([]);
  await releaseLanes(database.db, [stale], 'ready');
  expect(await lanes()).toMatchObject([{ state: 'leased', claim_id: current.claimId, webhook_id: null }]);
});

test('a lane is claimed by one of many claimers', async () => {
  await move(database.db, keys);
  const claims = await Promise.all(Array.from({ length: 8 }, () => claim()));
  expect(claims.flat()).toHaveLength(1);
});

test('several workers on one database deliver each movement once', async () => {
  for (let number = 0; number < 3; number += 1) startWorker();
  for (const code of [3, 14, 17, 11, 18]) await move(database.db, keys, code);
  await drained(database.db);
  expect(receiver.received).toHaveLength(5);
});

describe('a notification that is committed after its lane was found empty', () => {
  test('is found by the sweep', async () => {
    const [loggiKey = ''] = keys;
    await move(database.db, keys, 17);
    const [first] = await freeze(await claim());
    if (!first) throw new Error('nothing was claimed');
    let signalEnqueued = () => {};
    let signalRecorded = () => {};
    const untilEnqueued = new Promise<void>((resolve) => {
      signalEnqueued = resolve;
    });
    const untilRecorded = new Promise<void>((resolve) => {
      signalRecorded = resolve;
    });
    const late = database.db.transaction().execute(async (trx) => {
      await enqueueNotifications(trx, [{ accountId, loggiKey, seq: 1 }]);
      signalEnqueued();
      await untilRecorded;
    });
    await Promise.race([untilEnqueued, late]);
    const [result] = await recordResults(database.db, [acknowledged(first)], floors);
    expect(result).toMatchObject({ lane: 'idle' });
    signalRecorded();
    await late;
    expect(await lanes()).toMatchObject([{ state: 'idle' }]);
    expect(await pending(database.db)).toBe(1);
    expect(await wakeIdleLanes(database.db, 'recent')).toBe(1);
    expect(await lanes()).toMatchObject([{ state: 'ready' }]);
  });

  test('does not wait for another enqueuer of the lane', async () => {
    const [loggiKey = ''] = keys;
    await database.db.transaction().execute(async (one) => {
      await enqueueNotifications(one, [{ accountId, loggiKey, seq: 1 }]);
      await database.db.transaction().execute(async (other) => {
        await sql`set local lock_timeout = '50ms'`.execute(other);
        await enqueueNotifications(other, [{ accountId, loggiKey, seq: 2 }]);
      });
    });
    expect(await pending(database.db)).toBe(2);
  });
});

test('stop finishes what is under way and gives its lanes back', async () => {
  receiver.next({ status: 200, afterMs: 300 });
  const worker = startWorker();
  await move(database.db, keys);
  await receiver.until(1);
  await worker.stop();
  expect(await pending(database.db)).toBe(0);
  expect(await lanes()).toMatchObject([{ state: 'idle', claim_id: null }]);
});

test('stop aborts what takes too long; its delivery is due at once', async () => {
  receiver.next(() => undefined);
  const worker = workerFor(database.db, authority, [receiver], { settings: { stopMs: 200 } });
  worker.start();
  await move(database.db, keys);
  await receiver.until(1);
  await worker.stop();
  expect(await lanes()).toMatchObject([{ state: 'ready', claim_id: null, webhook_id: expect.any(String) }]);
  startWorker();
  await drained(database.db);
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toHaveLength(2);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});
