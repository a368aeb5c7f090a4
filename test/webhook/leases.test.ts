import { performance } from 'node:perf_hooks';
import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Claim } from '../../src/queue/claim.js';
import { enqueueNotifications } from '../../src/queue/enqueue.js';
import { createFloors } from '../../src/queue/floors.js';
import { releaseLanes, wakeIdleLanes } from '../../src/queue/lanes.js';
import { recordResults } from '../../src/queue/record.js';
import { type AttemptDeps, attempt } from '../../src/webhook/attempt.js';
import { type ClaimedDelivery, nextDeliveries } from '../../src/webhook/next-deliveries.js';
import { createRecorder } from '../../src/webhook/recorder.js';
import { standardSettings } from '../../src/webhook/settings.js';
import { createTroubles } from '../../src/webhook/troubles.js';
import {
  acknowledged,
  attemptsOf,
  claimDue,
  drained,
  eachScene,
  emptyQueue,
  move,
  pending,
  type Scene,
  silent,
} from './support.js';

const db = await emptyQueue();
let scene: Scene;
eachScene((opened) => {
  scene = opened;
});
const floors = createFloors();

const claim = (leaseMs?: number): Promise<Claim[]> => claimDue(db, leaseMs);
const freeze = async (claims: readonly Claim[]): Promise<ClaimedDelivery[]> =>
  nextDeliveries({ db, floors, log: silent }, claims);
const lanes = () => db.selectFrom('webhook_lanes').selectAll().where('number', '>=', 0).orderBy('id').execute();

describe('a worker that dies', () => {
  test('between claim and freeze leaves everything to the next worker', async () => {
    await move(db, scene.keys);
    await claim(100);
    scene.start();
    await drained(db);
    expect(scene.receiver.received).toHaveLength(1);
  });

  test('between freeze and record leaves the same bytes under the same id to the next worker', async () => {
    await move(db, scene.keys, 17);
    const [delivery] = await freeze(await claim(100));
    await move(db, scene.keys, 11);
    scene.start();
    await drained(db);
    const [first] = scene.receiver.received;
    expect(scene.receiver.received).toHaveLength(2);
    expect(first?.headers['webhook-id']).toBe(delivery?.webhookId);
    expect(first?.body.equals(delivery?.body ?? Buffer.alloc(0))).toBe(true);
  });
});

test('a worker that lost its lease does not change the delivery, but its attempt is stored', async () => {
  await move(db, scene.keys, 17);
  const [stale] = await freeze(await claim(0));
  const [current] = await freeze(await claim());
  if (!stale || !current) throw new Error('nothing was claimed');
  expect(current.webhookId).toBe(stale.webhookId);
  const before = await lanes();
  expect(await recordResults(db, [acknowledged(stale)], floors)).toEqual([{ kind: 'lease-lost' }]);
  expect(await lanes()).toEqual(before);
  expect(await pending(db)).toBe(1);
  expect(await attemptsOf(db)).toMatchObject([{ lease_lost: true }]);
  const [recorded] = await recordResults(db, [acknowledged(current)], floors);
  expect(recorded).toMatchObject({ kind: 'recorded', lane: 'idle', agesMs: [expect.any(Number)] });
  expect(await pending(db)).toBe(0);
});

test('a worker that lost its lease can neither freeze a delivery nor give the lane back', async () => {
  await move(db, scene.keys, 17);
  const [stale] = await claim(0);
  const [current] = await claim();
  if (!stale || !current) throw new Error('nothing was claimed');
  expect(await freeze([stale])).toEqual([]);
  await releaseLanes(db, [stale], 'ready');
  expect(await lanes()).toMatchObject([{ state: 'leased', claim_id: current.claimId, webhook_id: null }]);
});

test('a request that could outlive its lease is not sent, and its lane is given back', async () => {
  await move(db, scene.keys, 17);
  const [delivery] = await freeze(await claim());
  if (!delivery) throw new Error('nothing was claimed');
  const sent: string[] = [];
  const nothing = () => undefined;
  const metrics = { claimed: nothing, inFlight: nothing, recorded: nothing, ownFailure: nothing, trouble: nothing };
  const deps: AttemptDeps = {
    send: async ({ webhookId }) => {
      sent.push(webhookId);
      return { outcome: { kind: 'answered', status: 200, body: '', durationMs: 1 }, reused: false };
    },
    recorder: createRecorder((results) => recordResults(db, results, floors), silent),
    release: (claims) => releaseLanes(db, claims, 'ready'),
    troubles: createTroubles({ log: silent, metrics }),
    settings: standardSettings,
    metrics,
    log: silent,
    random: () => 0.5,
  };
  const way = { signal: new AbortController().signal, isSlow: () => false };
  const claimedAt = performance.now();
  const leaseOf = (ms: number) => ({ claimedAt, leasedUntil: claimedAt + ms });
  expect(await attempt(deps, delivery, leaseOf(standardSettings.deadlineMs), way)).toBe(false);
  expect(sent).toEqual([]);
  expect(await lanes()).toMatchObject([{ state: 'ready', claim_id: null, webhook_id: delivery.webhookId }]);
  const [again] = await freeze(await claim());
  if (!again) throw new Error('nothing was claimed');
  await attempt(deps, again, leaseOf(3_600_000), way);
  expect(sent).toEqual([delivery.webhookId]);
});

test('only one of many claimers gets a lane', async () => {
  await move(db, scene.keys);
  const claims = await Promise.all(Array.from({ length: 8 }, () => claim()));
  expect(claims.flat()).toHaveLength(1);
});

describe('a notification that is committed after its lane was found empty', () => {
  test('is found by the sweep', async () => {
    const [loggiKey = ''] = scene.keys;
    await move(db, scene.keys, 17);
    const [first] = await freeze(await claim());
    if (!first) throw new Error('nothing was claimed');
    await db.transaction().execute(async (late) => {
      await enqueueNotifications(late, [{ accountId: scene.accountId, loggiKey, seq: 1 }]);
      expect(await recordResults(db, [acknowledged(first)], floors)).toMatchObject([{ lane: 'idle' }]);
    });
    expect(await lanes()).toMatchObject([{ state: 'idle' }]);
    expect(await pending(db)).toBe(1);
    expect(await wakeIdleLanes(db, 'recent')).toBe(1);
    expect(await lanes()).toMatchObject([{ state: 'ready' }]);
  });

  test('does not wait for another enqueuer of the lane', async () => {
    const [loggiKey = ''] = scene.keys;
    const { accountId } = scene;
    await db.transaction().execute(async (one) => {
      await enqueueNotifications(one, [{ accountId, loggiKey, seq: 1 }]);
      await db.transaction().execute(async (other) => {
        await sql`set local lock_timeout = '50ms'`.execute(other);
        await enqueueNotifications(other, [{ accountId, loggiKey, seq: 2 }]);
      });
    });
    expect(await pending(db)).toBe(2);
  });
});

test('a worker that is stopped finishes its attempts and gives its lanes back', async () => {
  scene.receiver.next({ status: 200, afterMs: 300 });
  const worker = scene.start();
  await move(db, scene.keys);
  await scene.receiver.until(1);
  await worker.stop();
  expect(await pending(db)).toBe(0);
  expect(await lanes()).toMatchObject([{ state: 'idle', claim_id: null }]);
});

test('a worker that is stopped aborts a request that takes too long; its delivery is due at once', async () => {
  scene.receiver.next(() => undefined);
  const worker = scene.start({ settings: { stopMs: 50 } });
  await move(db, scene.keys);
  await scene.receiver.until(1);
  await worker.stop();
  expect(await lanes()).toMatchObject([{ state: 'ready', claim_id: null, webhook_id: expect.any(String) }]);
  scene.start();
  await drained(db);
  const [first, ...others] = scene.receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(others).toEqual([first]);
});
