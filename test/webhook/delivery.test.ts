import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { WebhookWorker } from '../../src/webhook/index.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { type Authority, createAuthority, type Receiver, startReceiver } from '../support/receiver.js';
import { attemptsOf, drained, move, payloadOf, register, shipped, workerFor } from './support.js';

let database: TestDatabase;
let authority: Authority;
let receiver: Receiver;
let worker: WebhookWorker;

beforeAll(async () => {
  authority = await createAuthority();
});
beforeEach(async () => {
  database = await createDatabase();
  receiver = await startReceiver({ authority });
  worker = workerFor(database.db, authority, [receiver]);
});
afterEach(async () => {
  await worker.stop();
  await receiver.close();
  await database.drop();
});

describe('a movement', () => {
  test('reaches the receiver once, with Basic, a valid signature, and a body of the published schema', async () => {
    const { accountId, keys } = await shipped(database.db);
    const { signingSecret } = await register(database.db, accountId, receiver);
    worker.start();
    await move(database.db, keys);
    await receiver.until(1);
    await drained(database.db);
    const [only, ...others] = receiver.received;
    expect(others).toEqual([]);
    expect(only).toMatchObject({ method: 'POST', path: '/hook', authenticated: true });
    expect(only?.headers).toMatchObject({ 'content-type': 'application/json', accept: 'application/json' });
    if (!only) throw new Error('nothing came');
    const { headers, body } = only;
    const signed = { ...headers } as Record<string, string>;
    expect(() => new Webhook(signingSecret).verify(body.toString('utf8'), signed)).not.toThrow();
    expect(headers['malote-replay']).toBeUndefined();
    const [entry] = payloadOf(only).packages;
    expect(entry).toMatchObject({
      loggiKey: keys[0],
      status: { code: 17 },
      location: { city: 'Campinas', state: 'SP' },
    });
    expect(entry?.trackingHistory.map(({ status }) => status.code)).toEqual([1]);
  });

  test('goes to every active endpoint of its account and to no other', async () => {
    const { accountId, keys } = await shipped(database.db);
    const stranger = await shipped(database.db);
    const second = await startReceiver({ authority });
    const foreign = await startReceiver({ authority });
    worker = workerFor(database.db, authority, [receiver, second, foreign]);
    await register(database.db, accountId, receiver);
    await register(database.db, accountId, second);
    await register(database.db, stranger.accountId, foreign);
    worker.start();
    await move(database.db, keys);
    await Promise.all([receiver.until(1), second.until(1)]);
    await drained(database.db);
    expect([receiver, second, foreign].map(({ received }) => received.length)).toEqual([1, 1, 0]);
    await second.close();
    await foreign.close();
  });
});

test('successive movements of a package come in successive deliveries, in their order', async () => {
  const { accountId, keys } = await shipped(database.db);
  await register(database.db, accountId, receiver);
  for (const code of [3, 14, 17, 11, 18, 5]) await move(database.db, keys, code);
  worker.start();
  await drained(database.db);
  const codes = receiver.received.map((each) => payloadOf(each).packages.map(({ status }) => status.code));
  expect(codes).toEqual([[3], [14], [17], [11], [18], [5]]);
});

test('packages share a delivery, at most 50 of them', async () => {
  const { accountId, keys } = await shipped(database.db, 70);
  await register(database.db, accountId, receiver);
  await move(database.db, keys);
  await move(database.db, keys, 11);
  worker.start();
  await drained(database.db);
  const deliveries = receiver.received.map((each) => payloadOf(each).packages);
  expect(deliveries[0]).toHaveLength(50);
  expect(Math.max(...deliveries.map(({ length }) => length))).toBeLessThanOrEqual(50);
  const codes = new Map<string, number[]>();
  for (const { loggiKey, status } of deliveries.flat())
    codes.set(loggiKey, [...(codes.get(loggiKey) ?? []), status.code]);
  expect([...codes.values()]).toEqual(keys.map(() => [17, 11]));
});

test('packages that wait behind one that moved often share its delivery', async () => {
  const { accountId, keys } = await shipped(database.db, 3);
  await register(database.db, accountId, receiver);
  const [often = '', ...others] = keys;
  const codes = Array.from({ length: 55 }, (_, at) => (at % 2 === 0 ? 17 : 11));
  for (const code of codes) await move(database.db, [often], code);
  await move(database.db, others);
  worker.start();
  await receiver.until(1);
  const [first] = receiver.received;
  if (!first) throw new Error('nothing came');
  const inFirst = payloadOf(first).packages.map(({ loggiKey }) => loggiKey);
  expect(inFirst).toEqual([often, ...others.toSorted()]);
  await drained(database.db);
  expect(receiver.received).toHaveLength(codes.length);
});

test('connections are used again', async () => {
  const { accountId, keys } = await shipped(database.db);
  await register(database.db, accountId, receiver);
  worker.start();
  for (const code of [3, 14, 17, 11]) await move(database.db, keys, code);
  await drained(database.db);
  expect(receiver.received).toHaveLength(4);
  expect(receiver.connections()).toBe(1);
});

test('each attempt is stored with its outcome', async () => {
  const { accountId, keys } = await shipped(database.db);
  const { id } = await register(database.db, accountId, receiver);
  receiver.next({ status: 500, body: 'nul \0 and \xff' });
  worker.start();
  await move(database.db, keys);
  await drained(database.db);
  expect(await attemptsOf(database.db)).toMatchObject([
    {
      endpoint_id: id,
      number: 1,
      outcome: 'refused',
      status_code: 500,
      response_body: 'nul \uFFFD and ÿ',
      lease_lost: false,
    },
    { endpoint_id: id, number: 2, outcome: 'acknowledged', status_code: 200, response_body: '' },
  ]);
});
