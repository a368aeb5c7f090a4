import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { listDeadLetters } from '../../src/deliveries/delivery-queries.js';
import { getEndpoint } from '../../src/deliveries/endpoint-queries.js';
import { enableEndpoint } from '../../src/deliveries/endpoints.js';
import { standardSchedule } from '../../src/deliveries/schedule.js';
import type { WebhookWorker } from '../../src/webhook/index.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import {
  type Authority,
  createAuthority,
  type Receiver,
  type Script,
  startReceiver,
  waitFor,
} from '../support/receiver.js';
import { attemptsOf, drained, move, pending, register, shipped, workerFor } from './support.js';

let database: TestDatabase;
let authority: Authority;
let receiver: Receiver;
let worker: WebhookWorker;
let accountId: string;
let keys: string[];
let endpoint: string;

beforeAll(async () => {
  authority = await createAuthority();
});
beforeEach(async () => {
  database = await createDatabase();
  receiver = await startReceiver({ authority });
  worker = workerFor(database.db, authority, [receiver]);
  ({ accountId, keys } = await shipped(database.db));
  ({ id: endpoint } = await register(database.db, accountId, receiver));
});
afterEach(async () => {
  await worker.stop();
  await receiver.close();
  await database.drop();
});

const codesOf = ({ received }: Receiver): number[] =>
  received.map(({ body }) => JSON.parse(body.toString()).packages[0].status.code);

describe('an answer that is not 200 or 201', () => {
  const elsewhere = { location: 'https://localhost:1/elsewhere' };
  const answers: [number, Script][] = [
    [202, { status: 202 }],
    [204, { status: 204 }],
    [301, { status: 301, headers: elsewhere }],
    [302, { status: 302, headers: elsewhere }],
    [307, { status: 307, headers: elsewhere }],
    [400, { status: 400 }],
    [429, { status: 429 }],
    [500, { status: 500 }],
  ];
  test.each(answers)('%i does not acknowledge: the same bytes come again under the same id', async (status, script) => {
    receiver.next(script, script);
    worker.start();
    await move(database.db, keys);
    await receiver.until(3);
    await drained(database.db);
    const [first, ...others] = receiver.received;
    expect(others).toHaveLength(2);
    for (const other of others) {
      expect(other.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
      expect(other.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    }
    expect((await attemptsOf(database.db)).map((each) => each.status_code)).toEqual([status, status, 200]);
    expect(receiver.received.every(({ path }) => path === '/hook')).toBe(true);
  });

  test('201 acknowledges', async () => {
    receiver.always({ status: 201 });
    worker.start();
    await move(database.db, keys);
    await drained(database.db);
    expect(receiver.received).toHaveLength(1);
  });

  test('Retry-After delays the next attempt', async () => {
    receiver.next({ status: 503, headers: { 'retry-after': '1' } });
    worker.start();
    await move(database.db, keys);
    const [first, second] = await receiver.until(2);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);
  });

  test('410 disables the endpoint; what waits is sent when it is enabled', async () => {
    receiver.next({ status: 410 });
    worker.start();
    await move(database.db, keys);
    await receiver.until(1);
    await waitFor(async () => (await getEndpoint(database.db, endpoint)).state === 'disabled', 'the endpoint disabled');
    expect(await getEndpoint(database.db, endpoint)).toMatchObject({ disabledReason: 'gone', pendingCount: 1 });
    await move(database.db, keys, 11);
    await enableEndpoint(database.db, endpoint);
    await drained(database.db);
    expect(codesOf(receiver)).toEqual([17, 17]);
  });
});

test('order is kept through failures', async () => {
  receiver.next({ status: 500 }, { status: 500 }, { status: 200 }, { status: 503 });
  worker.start();
  for (const code of [3, 14, 17, 11]) await move(database.db, keys, code);
  await drained(database.db);
  expect(codesOf(receiver)).toEqual([3, 3, 3, 14, 14, 17, 11]);
});

test('after the last attempt a delivery is a dead letter, and the lane sends the next one', async () => {
  receiver.next(...Array.from({ length: 5 }, () => ({ status: 500 })));
  worker.start();
  await move(database.db, keys, 17);
  await move(database.db, keys, 11);
  await drained(database.db);
  expect(codesOf(receiver)).toEqual([17, 17, 17, 17, 17, 11]);
  const { rows, total } = await listDeadLetters(database.db, endpoint, { page: 1, pageSize: 20 });
  expect(total).toBe(1);
  expect(rows).toMatchObject([{ state: 'dead_letter', attemptCount: 5, packageCount: 1, kind: 'tracking' }]);
});

test('five days of failures without a success disable an endpoint', async () => {
  await database.db
    .updateTable('webhook_endpoints')
    .set({ failing_since: new Date(Date.now() - 5.1 * 86_400_000) })
    .execute();
  receiver.always({ status: 500 });
  worker.start();
  await move(database.db, keys);
  await waitFor(async () => (await getEndpoint(database.db, endpoint)).state === 'disabled', 'the endpoint disabled');
  expect(await getEndpoint(database.db, endpoint)).toMatchObject({ disabledReason: 'failing', pendingCount: 1 });
  const { length } = receiver.received;
  await move(database.db, keys, 11);
  expect(await pending(database.db)).toBe(1);
  expect(receiver.received).toHaveLength(length);
});

test('one success ends a time of failure', async () => {
  receiver.next({ status: 500 });
  worker.start();
  await move(database.db, keys);
  await drained(database.db);
  expect((await getEndpoint(database.db, endpoint)).failingSince).toBeNull();
});

test('an endpoint that never answers does not delay another', async () => {
  const dead = await startReceiver({ authority });
  dead.always(() => undefined);
  worker = workerFor(database.db, authority, [receiver, dead], {
    settings: { schedule: standardSchedule, concurrency: 4, retryConcurrency: 2 },
  });
  await register(database.db, accountId, dead);
  worker.start();
  await move(database.db, keys, 17);
  await dead.until(1);
  for (const code of [3, 14, 11]) await move(database.db, keys, code);
  await receiver.until(4);
  await worker.stop();
  await dead.close();
});
