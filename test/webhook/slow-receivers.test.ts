import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { WebhookWorker } from '../../src/webhook/index.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { type Authority, createAuthority, type Receiver, startReceiver, waitFor } from '../support/receiver.js';
import { drained, move, register, shipped, workerFor } from './support.js';

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

let database: TestDatabase;
let authority: Authority;
let receiver: Receiver;
let slow: Receiver;
let worker: WebhookWorker;
let healthy: string[];

beforeAll(async () => {
  authority = await createAuthority();
});
beforeEach(async () => {
  database = await createDatabase();
  [receiver, slow] = await Promise.all([startReceiver({ authority }), startReceiver({ authority })]);
  worker = workerFor(database.db, authority, [receiver, slow], { settings });
  healthy = await account(1, receiver);
  worker.start();
  await move(database.db, healthy, 3);
  await drained(database.db);
});
afterEach(async () => {
  await worker.stop();
  await Promise.all([receiver.close(), slow.close()]);
  await database.drop();
});

/** An account with one package and `count` endpoints at the receiver; returns the package's key. */
async function account(count: number, { url }: Receiver): Promise<string[]> {
  const { accountId, keys } = await shipped(database.db);
  for (let number = 0; number < count; number += 1) {
    await register(database.db, accountId, { url: `${url}/${accountId}/${number}` });
  }
  return keys;
}

const hang = () => slow.always(() => undefined);
const servedCount = (): number => slow.received.length;

async function expectHealthy(): Promise<void> {
  const before = receiver.received.length;
  for (const code of [14, 17, 11]) {
    await move(database.db, healthy, code);
    await receiver.until(receiver.received.length + 1);
  }
  expect(receiver.received.length).toBe(before + 3);
}

test('receivers that were never sent anything take no slot of those that answer promptly', async () => {
  hang();
  const keys = [await account(9, slow), await account(9, slow)].flat();
  await move(database.db, keys);
  await slow.until(2);
  await expectHealthy();
});

test('receivers that turn slow give up their slots', async () => {
  const keys = await account(6, slow);
  await move(database.db, keys, 3);
  await slow.until(6);
  await drained(database.db);
  hang();
  await move(database.db, keys, 14);
  await slow.until(12);
  expect(worker.underWay()).toBe(6);
  await expectHealthy();
});

test('an account that has many slow receivers leaves slots to another that has one', async () => {
  hang();
  const many = await account(20, slow);
  const one = await account(1, slow);
  await move(database.db, many);
  await slow.until(3);
  await expectHealthy();
  expect(servedCount()).toBe(3);
  await move(database.db, one);
  await slow.until(4);
  expect(new Set(slow.received.map(({ path }) => path.split('/').at(-2))).size).toBe(2);
});

test('a slow receiver that answers promptly again is no longer slow, and every slow one is served', async () => {
  slow.always({ status: 200, afterMs: 1_500 });
  const keys = await account(8, slow);
  await move(database.db, keys, 3);
  await drained(database.db);
  expect(servedCount()).toBe(8);
  const slowLanes = async () =>
    database.db
      .selectFrom('webhook_lanes')
      .select('id')
      .where('number', '>=', 0)
      .where('slow_account_id', 'is not', null)
      .execute();
  expect(await slowLanes()).toHaveLength(8);
  slow.always({ status: 200 });
  await move(database.db, keys, 14);
  await drained(database.db);
  await waitFor(async () => (await slowLanes()).length === 0, 'all to be prompt');
});
