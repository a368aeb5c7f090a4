import { afterEach, describe, expect, test } from '@jest/globals';
import { type Received, startReceiver } from '../support/receiver.js';
import {
  attemptsOf,
  authority,
  drained,
  move,
  openScene,
  payloadOf,
  register,
  rulesFor,
  type Scene,
  shipped,
} from './support.js';

let scene: Scene;
const open = async (packages = 1): Promise<Scene> => {
  scene = await openScene({ packages });
  return scene;
};
afterEach(() => scene.close());

describe('a movement', () => {
  test('reaches the receiver once, with Basic and a body of the published schema', async () => {
    const { db, receiver, keys, worker } = await open();
    worker.start();
    await move(db, keys);
    await drained(db);
    const json = { 'content-type': 'application/json', accept: 'application/json' };
    expect(receiver.received).toMatchObject([{ method: 'POST', path: '/hook', authenticated: true, headers: json }]);
    const [only] = receiver.received as [Received];
    expect(only.headers['malote-replay']).toBeUndefined();
    const [entry] = payloadOf(only).packages;
    const location = { city: 'Campinas', state: 'SP' };
    expect(entry).toMatchObject({ loggiKey: keys[0], status: { code: 17 }, location });
    expect(entry?.trackingHistory.map(({ status }) => status.code)).toEqual([1]);
  });

  test('goes to every active endpoint of its account and to no other', async () => {
    const { db, receiver, accountId, keys, start } = await open();
    const stranger = await shipped(db);
    const second = await startReceiver({ authority });
    const foreign = await startReceiver({ authority });
    await register(db, accountId, second);
    await register(db, stranger.accountId, foreign);
    start({ addresses: rulesFor([receiver, second, foreign]) });
    await move(db, keys);
    await drained(db);
    expect([receiver, second, foreign].map(({ received }) => received.length)).toEqual([1, 1, 0]);
    await second.close();
    await foreign.close();
  });
});

test('successive movements of a package come in successive deliveries, in their order, over one connection', async () => {
  const { db, receiver, keys, worker } = await open();
  for (const code of [3, 14, 17, 11, 18, 5]) await move(db, keys, code);
  worker.start();
  await drained(db);
  const codes = receiver.received.map((each) => payloadOf(each).packages.map(({ status }) => status.code));
  expect(codes).toEqual([[3], [14], [17], [11], [18], [5]]);
  expect(receiver.connections()).toBe(1);
});

test('packages share a delivery, at most 50 of them', async () => {
  const { db, receiver, keys, worker } = await open(70);
  await move(db, keys);
  await move(db, keys, 11);
  worker.start();
  await drained(db);
  const deliveries = receiver.received.map((each) => payloadOf(each).packages);
  expect(deliveries[0]).toHaveLength(50);
  expect(Math.max(...deliveries.map(({ length }) => length))).toBeLessThanOrEqual(50);
  const codes = new Map<string, number[]>();
  for (const { loggiKey, status } of deliveries.flat())
    codes.set(loggiKey, [...(codes.get(loggiKey) ?? []), status.code]);
  expect([...codes.values()]).toEqual(keys.map(() => [17, 11]));
});

test('packages that wait behind a package with many movements share its delivery', async () => {
  const { db, receiver, keys, worker } = await open(3);
  const [often = '', ...others] = keys;
  const codes = Array.from({ length: 55 }, (_, at) => (at % 2 === 0 ? 17 : 11));
  for (const code of codes) await move(db, [often], code);
  await move(db, others);
  worker.start();
  await receiver.until(1);
  const [first] = receiver.received as [Received];
  const inFirst = payloadOf(first).packages.map(({ loggiKey }) => loggiKey);
  expect(inFirst).toEqual([often, ...others.toSorted()]);
  await drained(db);
  expect(receiver.received).toHaveLength(codes.length);
});

test('each attempt is stored with its outcome', async () => {
  const { db, receiver, keys, endpoint, worker } = await open();
  receiver.next({ status: 500, body: 'nul \0 and \xff' });
  worker.start();
  await move(db, keys);
  await drained(db);
  const [refused, acknowledged] = await attemptsOf(db);
  const why = { outcome: 'refused', status_code: 500, response_body: 'nul \uFFFD and ÿ' };
  expect(refused).toMatchObject({ endpoint_id: endpoint.id, number: 1, lease_lost: false, ...why });
  expect(acknowledged).toMatchObject({ number: 2, outcome: 'acknowledged', status_code: 200, response_body: '' });
});
