import { beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.js';
import { getEndpoint } from '../../src/endpoints/endpoint-queries.js';
import { deleteEndpoint, disableEndpoint, enableEndpoint, updateEndpoint } from '../../src/endpoints/endpoints.js';
import { getDelivery, listAttempts } from '../../src/queue/delivery-queries.js';
import { createFloors } from '../../src/queue/floors.js';
import { replayDeliveries, replayDelivery, testEndpoint } from '../../src/queue/replay.js';
import { purge } from '../../src/queue/upkeep.js';
import { nextDeliveries } from '../../src/webhook/next-deliveries.js';
import { standardSettings } from '../../src/webhook/settings.js';
import { startReceiver, waitFor } from '../support/receiver.js';
import {
  authority,
  claimDue,
  drained,
  eachScene,
  move,
  payloadOf,
  pending,
  ring,
  rulesFor,
  type Scene,
  silent,
} from './support.js';

let scene: Scene;
eachScene(
  (opened) => {
    scene = opened;
  },
  { packages: 12 },
);
beforeEach(() => scene.worker.start());

const refused = (code: string, work: Promise<unknown>) => expect(work).rejects.toMatchObject({ code });
const idOf = (index: number): string => String(scene.receiver.received[index]?.headers['webhook-id']);
const untilSettled = (webhookId: string) =>
  waitFor(async () => (await getDelivery(scene.db, webhookId)).state !== 'waiting', 'the delivery to be settled');

/** True if another transaction waits for a lock of this transaction. */
async function isWaitedFor(trx: Db): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))`.execute(trx);
  return rows.length > 0;
}

async function deadLetter(): Promise<string> {
  scene.receiver.next(...Array.from({ length: 5 }, () => ({ status: 500 })));
  await move(scene.db, scene.keys);
  await drained(scene.db);
  return idOf(0);
}

describe('a replay', () => {
  test('sends the same bytes again under the same id, marked as a replay', async () => {
    await move(scene.db, scene.keys);
    await drained(scene.db);
    expect(await replayDelivery(scene.db, idOf(0))).toMatchObject({ state: 'waiting' });
    await scene.receiver.until(2);
    const [first, again] = scene.receiver.received;
    expect(again?.headers).toMatchObject({ 'malote-replay': 'true', 'webhook-id': idOf(0) });
    expect(again?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
    await untilSettled(idOf(0));
    expect(await getDelivery(scene.db, idOf(0))).toMatchObject({ state: 'delivered', attemptCount: 2 });
  });

  test('turns a dead letter into a delivered body if it succeeds', async () => {
    const webhookId = await deadLetter();
    expect(await getEndpoint(scene.db, scene.endpoint.id)).toMatchObject({ deadLetterCount: 1 });
    scene.receiver.next(...Array.from({ length: 3 }, () => ({ status: 500 })));
    expect(await replayDeliveries(scene.db, scene.endpoint.id, 'dead-letters')).toBe(1);
    await untilSettled(webhookId);
    expect(await getDelivery(scene.db, webhookId)).toMatchObject({ state: 'dead_letter', attemptCount: 8 });
    expect(await replayDeliveries(scene.db, scene.endpoint.id, 'dead-letters')).toBe(1);
    await untilSettled(webhookId);
    const { attempts, ...delivery } = await getDelivery(scene.db, webhookId);
    expect(delivery).toMatchObject({ state: 'delivered', attemptCount: 9 });
    expect(attempts.map(({ number }) => number)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(await replayDeliveries(scene.db, scene.endpoint.id, 'dead-letters')).toBe(0);
  });

  test('saves a dead letter from being removed at the same time, even if its retention is over', async () => {
    const webhookId = await deadLetter();
    const old = new Date(Date.now() - 40 * 86_400_000);
    const letter = scene.db.updateTable('webhook_deliveries').where('webhook_id', '=', webhookId);
    await letter.set({ dead_at: old, retain_from: old }).execute();
    const purging = await scene.db.transaction().execute(async (trx) => {
      expect(await replayDeliveries(trx, scene.endpoint.id, 'dead-letters')).toBe(1);
      let isDone = false;
      const removal = purge(scene.db, { attempts: 0, deliveries: 0, deadLetters: 30 }).finally(() => {
        isDone = true;
      });
      await waitFor(async () => isDone || (await isWaitedFor(trx)), 'the removal to end or to wait');
      return { removal };
    });
    await purging.removal;
    await untilSettled(webhookId);
    expect(await getDelivery(scene.db, webhookId)).toMatchObject({ state: 'delivered' });
  });

  test('by a range of time sends each delivery of the range once', async () => {
    for (const code of [3, 14, 17]) {
      await move(scene.db, scene.keys, code);
      await drained(scene.db);
    }
    const from = new Date(Date.now() - 60_000);
    const to = new Date(Date.now() + 60_000);
    expect(await replayDeliveries(scene.db, scene.endpoint.id, { from, to: from })).toBe(0);
    expect(await replayDeliveries(scene.db, scene.endpoint.id, { from, to })).toBe(3);
    await scene.receiver.until(6);
    expect([3, 4, 5].map(idOf)).toEqual([0, 1, 2].map(idOf));
  });

  test('does not hold back new movements when it fails', async () => {
    const webhookId = await deadLetter();
    scene.receiver.always({ status: 500 });
    await replayDelivery(scene.db, webhookId);
    await scene.receiver.until(6);
    scene.receiver.always({ status: 200 });
    await move(scene.db, scene.keys, 11);
    await drained(scene.db);
  });
});

describe('a test', () => {
  test('sends a sample of the published schema, marked as a test', async () => {
    const { webhookId, ...queued } = await testEndpoint(scene.db, scene.endpoint.id);
    expect(queued).toMatchObject({ kind: 'test', state: 'waiting', packageCount: 1, attemptCount: 0, body: null });
    await untilSettled(webhookId);
    const [only] = scene.receiver.received;
    expect(only?.headers).toMatchObject({ 'malote-test': 'true', 'webhook-id': webhookId });
    expect(only?.headers['malote-replay']).toBeUndefined();
    expect(payloadOf({ body: only?.body ?? Buffer.alloc(0) }).packages).toHaveLength(1);
    const done = await getDelivery(scene.db, webhookId);
    expect(done).toMatchObject({ state: 'delivered', attemptCount: 1, body: String(only?.body) });
  });

  test('is tried only once, and is no dead letter of the endpoint when it fails', async () => {
    scene.receiver.always({ status: 500 });
    const { webhookId } = await testEndpoint(scene.db, scene.endpoint.id);
    await untilSettled(webhookId);
    expect(await getDelivery(scene.db, webhookId)).toMatchObject({ state: 'dead_letter', attemptCount: 1 });
    expect((await getEndpoint(scene.db, scene.endpoint.id)).deadLetterCount).toBe(0);
  });

  test('is never replayed when it fails: not by its id, not by a range of time, not with the dead letters', async () => {
    scene.receiver.always({ status: 500 });
    const { webhookId } = await testEndpoint(scene.db, scene.endpoint.id);
    await untilSettled(webhookId);
    await refused('CONFLICT', replayDelivery(scene.db, webhookId));
    const [from, to] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)];
    expect(await replayDeliveries(scene.db, scene.endpoint.id, { from, to })).toBe(0);
    expect(await replayDeliveries(scene.db, scene.endpoint.id, 'dead-letters')).toBe(0);
  });

  test('is not tried again when it fails after another worker began it; the next request is sent', async () => {
    await scene.worker.stop();
    const { webhookId } = await testEndpoint(scene.db, scene.endpoint.id);
    const { webhookId: next } = await testEndpoint(scene.db, scene.endpoint.id);
    await nextDeliveries({ db: scene.db, floors: createFloors(), log: silent }, await claimDue(scene.db, 0));
    scene.receiver.next({ status: 500 });
    scene.start();
    await untilSettled(next);
    expect(await getDelivery(scene.db, webhookId)).toMatchObject({ state: 'dead_letter', attemptCount: 1 });
    expect(await getDelivery(scene.db, next)).toMatchObject({ state: 'delivered', attemptCount: 1 });
    expect(scene.receiver.received.map(({ headers }) => headers['malote-replay'])).toEqual([undefined, undefined]);
  });

  test('disables the endpoint when it is answered 410, and is not sent again when the endpoint is enabled', async () => {
    scene.receiver.next({ status: 410 });
    const { webhookId } = await testEndpoint(scene.db, scene.endpoint.id);
    await untilSettled(webhookId);
    expect(await getEndpoint(scene.db, scene.endpoint.id)).toMatchObject({ state: 'disabled', disabledReason: 'gone' });
    await enableEndpoint(scene.db, scene.endpoint.id);
    const { webhookId: next } = await testEndpoint(scene.db, scene.endpoint.id);
    await untilSettled(next);
    expect(scene.receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([webhookId, next]);
  });
});

test('a disabled endpoint receives nothing; waiting bodies are sent when it is enabled', async () => {
  scene.receiver.always({ status: 500 });
  await move(scene.db, scene.keys, 17);
  await scene.receiver.until(1);
  await disableEndpoint(scene.db, scene.endpoint.id);
  await move(scene.db, scene.keys, 11);
  scene.receiver.always({ status: 200 });
  const before = scene.receiver.received.length;
  await enableEndpoint(scene.db, scene.endpoint.id);
  await drained(scene.db);
  const codes = scene.receiver.received.slice(before).map((each) => payloadOf(each).packages[0]?.status.code);
  expect(codes).toEqual([17]);
});

test('waiting bodies go to the new address of an endpoint', async () => {
  const other = await startReceiver({ authority });
  await scene.worker.stop();
  await move(scene.db, scene.keys);
  const destination = { url: new URL(other.url), username: 'malote' };
  await updateEndpoint(scene.db, ring, scene.endpoint.id, { destination });
  scene.start({ addresses: rulesFor([scene.receiver, other]) });
  await other.until(1);
  expect(other.received[0]?.authenticated).toBe(true);
  await drained(scene.db);
  await other.close();
});

test('a deleted endpoint receives nothing more, and its waiting bodies are removed', async () => {
  scene.receiver.always({ status: 500 });
  await move(scene.db, scene.keys);
  await scene.receiver.until(1);
  await deleteEndpoint(scene.db, scene.endpoint.id);
  await waitFor(async () => {
    await purge(scene.db, standardSettings.retention);
    return (await pending(scene.db)) === 0;
  }, 'the queue to be purged');
  await refused('NOT_FOUND', listAttempts(scene.db, scene.endpoint.id, { page: 1, pageSize: 1 }));
});

test('a change of lanes keeps the order of each package', async () => {
  const destination = { url: new URL(scene.receiver.url), username: 'malote' };
  scene.receiver.next({ status: 500 }, { status: 500 });
  for (const [code, lanes] of Object.entries({ 3: 4, 14: 16, 17: 2 })) {
    await move(scene.db, scene.keys, Number(code));
    await updateEndpoint(scene.db, ring, scene.endpoint.id, { destination, lanes });
  }
  await move(scene.db, scene.keys, 11);
  await drained(scene.db);
  const codes = new Map<string, number[]>();
  for (const { body, headers } of scene.receiver.received) {
    for (const { loggiKey, status } of payloadOf({ body }).packages) {
      const earlier = codes.get(loggiKey) ?? [];
      if (headers['webhook-id'] && earlier.at(-1) !== status.code) codes.set(loggiKey, [...earlier, status.code]);
    }
  }
  expect([...codes.values()]).toEqual(scene.keys.map(() => [3, 14, 17, 11]));
});
