import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { WebhookWorker } from '../../src/webhook/index.js';
import { countOf } from '../support/queue.js';
import { type Receiver, startReceiver, waitFor } from '../support/receiver.js';
import { authority, drained, eachScene, emptyQueue, move, register, rulesFor, type Scene, shipped } from './support.js';

const settings = {
  concurrency: 4,
  retryConcurrency: 2,
  slowConcurrency: 6,
  lateConcurrency: 8,
  accountConcurrency: 3,
  // Large enough for a busy machine: a receiver is slow from four times this time on.
  promptMs: 250,
  stopMs: 100,
};

const db = await emptyQueue();
let scene: Scene;
eachScene(
  (opened) => {
    scene = opened;
  },
  { settings },
);
let slow: Receiver;
let worker: WebhookWorker;

beforeEach(async () => {
  slow = await startReceiver({ authority });
  worker = scene.start({ addresses: rulesFor([scene.receiver, slow]) });
  await move(db, scene.keys, 3);
  await drained(db);
});
afterEach(() => slow.close());

/** Makes an account with one package and `count` endpoints at the receiver. Resolves to the package's key. */
async function account(count: number, { url }: Receiver): Promise<string[]> {
  const { accountId, keys } = await shipped(db);
  for (let number = 0; number < count; number += 1) {
    await register(db, accountId, { url: `${url}/${accountId}/${number}` });
  }
  return keys;
}

async function expectHealthy(): Promise<void> {
  const { received, until } = scene.receiver;
  const before = received.length;
  for (const code of [14, 17, 11]) {
    await move(db, scene.keys, code);
    await until(received.length + 1);
  }
  expect(received.length).toBe(before + 3);
}

test('receivers that have never answered take no slot from prompt receivers', async () => {
  slow.always('hang');
  const keys = [await account(9, slow), await account(9, slow)].flat();
  await move(db, keys);
  await slow.until(2);
  await expectHealthy();
});

test('receivers that become slow give up their prompt slots', async () => {
  const keys = await account(6, slow);
  await move(db, keys, 3);
  await slow.until(6);
  await drained(db);
  slow.always('hang');
  await move(db, keys, 14);
  await slow.until(12);
  expect(worker.underWay()).toBe(6);
  await expectHealthy();
});

test('an account with many slow receivers leaves slots to an account with one', async () => {
  slow.always('hang');
  const many = await account(20, slow);
  const one = await account(1, slow);
  await move(db, many);
  await slow.until(3);
  await expectHealthy();
  expect(slow.received).toHaveLength(3);
  await move(db, one);
  await slow.until(4);
  expect(new Set(slow.received.map(({ path }) => path.split('/').at(-2))).size).toBe(2);
});

test('every slow receiver is served, and one that answers promptly again is no longer slow', async () => {
  slow.always({ status: 200, afterMs: 4.1 * settings.promptMs });
  const keys = await account(8, slow);
  await move(db, keys, 3);
  await drained(db);
  expect(slow.received).toHaveLength(8);
  const slowLanes = () => countOf(db, 'webhook_lanes', sql`number >= 0 and slow_account_id is not null`);
  expect(await slowLanes()).toBe(8);
  slow.always({ status: 200 });
  await move(db, keys, 14);
  await drained(db);
  await waitFor(async () => (await slowLanes()) === 0, 'all to be prompt');
});
