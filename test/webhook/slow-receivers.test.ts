import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.js';
import type { WebhookWorker } from '../../src/webhook/index.js';
import { countOf } from '../support/queue.js';
import { type Receiver, startReceiver, waitFor } from '../support/receiver.js';
import { authority, drained, move, openScene, register, rulesFor, type Scene, shipped } from './support.js';

const settings = {
  concurrency: 4,
  retryConcurrency: 2,
  slowConcurrency: 6,
  lateConcurrency: 8,
  accountConcurrency: 3,
  // A busy machine answers later than a quick one: slow is what takes four times as long.
  promptMs: 250,
  stopMs: 100,
};

let scene: Scene;
let db: Db;
let receiver: Receiver;
let slow: Receiver;
let worker: WebhookWorker;
let healthy: string[];

beforeEach(async () => {
  [scene, slow] = await Promise.all([openScene({ settings }), startReceiver({ authority })]);
  ({ db, receiver, keys: healthy } = scene);
  worker = scene.start({ addresses: rulesFor([receiver, slow]) });
  await move(db, healthy, 3);
  await drained(db);
});
afterEach(() => Promise.all([scene.close(), slow.close()]));

/** An account with one package and `count` endpoints at the receiver; returns the package's key. */
async function account(count: number, { url }: Receiver): Promise<string[]> {
  const { accountId, keys } = await shipped(db);
  for (let number = 0; number < count; number += 1) {
    await register(db, accountId, { url: `${url}/${accountId}/${number}` });
  }
  return keys;
}

const hang = () => slow.always('hang');
const servedCount = (): number => slow.received.length;

async function expectHealthy(): Promise<void> {
  const before = receiver.received.length;
  for (const code of [14, 17, 11]) {
    await move(db, healthy, code);
    await receiver.until(receiver.received.length + 1);
  }
  expect(receiver.received.length).toBe(before + 3);
}

test('receivers that were never sent anything take no slot of those that answer promptly', async () => {
  hang();
  const keys = [await account(9, slow), await account(9, slow)].flat();
  await move(db, keys);
  await slow.until(2);
  await expectHealthy();
});

test('receivers that turn slow give up their slots', async () => {
  const keys = await account(6, slow);
  await move(db, keys, 3);
  await slow.until(6);
  await drained(db);
  hang();
  await move(db, keys, 14);
  await slow.until(12);
  expect(worker.underWay()).toBe(6);
  await expectHealthy();
});

test('an account that has many slow receivers leaves slots to another that has one', async () => {
  hang();
  const many = await account(20, slow);
  const one = await account(1, slow);
  await move(db, many);
  await slow.until(3);
  await expectHealthy();
  expect(servedCount()).toBe(3);
  await move(db, one);
  await slow.until(4);
  expect(new Set(slow.received.map(({ path }) => path.split('/').at(-2))).size).toBe(2);
});

test('a slow receiver that answers promptly again is no longer slow, and every slow one is served', async () => {
  slow.always({ status: 200, afterMs: 4.1 * settings.promptMs });
  const keys = await account(8, slow);
  await move(db, keys, 3);
  await drained(db);
  expect(servedCount()).toBe(8);
  const slowLanes = () => countOf(db, 'webhook_lanes', sql`number >= 0 and slow_account_id is not null`);
  expect(await slowLanes()).toBe(8);
  slow.always({ status: 200 });
  await move(db, keys, 14);
  await drained(db);
  await waitFor(async () => (await slowLanes()) === 0, 'all to be prompt');
});
