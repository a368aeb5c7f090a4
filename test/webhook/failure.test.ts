import { describe, expect, test } from '@jest/globals';
import { getEndpoint } from '../../src/endpoints/endpoint-queries.js';
import { enableEndpoint } from '../../src/endpoints/endpoints.js';
import { listDeadLetters } from '../../src/queue/delivery-queries.js';
import { standardSchedule } from '../../src/queue/schedule.js';
import { type Receiver, startReceiver, waitFor } from '../support/receiver.js';
import { attemptsOf, authority, drained, eachScene, move, pending, register, rulesFor, type Scene } from './support.js';

let scene: Scene;
eachScene((opened) => {
  scene = opened;
});

const codesOf = ({ received }: Receiver): number[] =>
  received.map(({ body }) => JSON.parse(body.toString()).packages[0].status.code);

async function deliver(codes = [17]): Promise<void> {
  scene.worker.start();
  for (const code of codes) await move(scene.db, scene.keys, code);
  await drained(scene.db);
}

async function disabled() {
  const endpoint = () => getEndpoint(scene.db, scene.endpoint.id);
  await waitFor(async () => (await endpoint()).state === 'disabled', 'the endpoint disabled');
  return endpoint();
}

describe('an answer that is not 200 or 201', () => {
  const refusals = [202, 204, 301, 302, 307, 400, 429, 500];
  test.each(refusals)('is no acknowledgement (%i): the same bytes come again under the same id', async (status) => {
    const headers = { location: 'https://localhost:1/elsewhere' };
    const script = status >= 300 && status < 400 ? { status, headers } : { status };
    scene.receiver.next(script, script);
    await deliver();
    const [first, ...others] = scene.receiver.received;
    expect(others).toHaveLength(2);
    for (const other of others) {
      expect(other.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
      expect(other.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    }
    expect((await attemptsOf(scene.db)).map((each) => each.status_code)).toEqual([status, status, 200]);
    expect(scene.receiver.received.every(({ path }) => path === '/hook')).toBe(true);
  });

  test('delays the next attempt by its Retry-After', async () => {
    scene.receiver.next({ status: 503, headers: { 'retry-after': '3600' } });
    scene.worker.start();
    await move(scene.db, scene.keys);
    const waiting = scene.db.selectFrom('webhook_lanes').select('due_at').where('state', '=', 'waiting');
    await waitFor(async () => (await waiting.execute()).length === 1, 'the lane to wait');
    const { due_at } = await waiting.executeTakeFirstOrThrow();
    expect(due_at.getTime() - Date.now()).toBeGreaterThan(3_000_000);
  });

  test('disables the endpoint if it is 410; waiting bodies are sent when it is enabled', async () => {
    scene.receiver.next({ status: 410 });
    scene.worker.start();
    await move(scene.db, scene.keys);
    await scene.receiver.until(1);
    expect(await disabled()).toMatchObject({ disabledReason: 'gone', pendingCount: 1 });
    await move(scene.db, scene.keys, 11);
    await enableEndpoint(scene.db, scene.endpoint.id);
    await drained(scene.db);
    expect(codesOf(scene.receiver)).toEqual([17, 17]);
  });
});

test('failures do not change the order of deliveries', async () => {
  scene.receiver.next({ status: 500 }, { status: 500 }, { status: 200 }, { status: 503 });
  await deliver([3, 14, 17, 11]);
  expect(codesOf(scene.receiver)).toEqual([3, 3, 3, 14, 14, 17, 11]);
});

test('after the last attempt a delivery is a dead letter, and the lane sends the next one', async () => {
  scene.receiver.next(...Array.from({ length: 5 }, () => ({ status: 500 })));
  await deliver([17, 11]);
  expect(codesOf(scene.receiver)).toEqual([17, 17, 17, 17, 17, 11]);
  const { rows, total } = await listDeadLetters(scene.db, scene.endpoint.id, { page: 1, pageSize: 20 });
  expect(total).toBe(1);
  expect(rows).toMatchObject([{ state: 'dead_letter', attemptCount: 5, packageCount: 1, kind: 'tracking' }]);
});

test('five days of failures without a success disable an endpoint', async () => {
  const failing_since = new Date(Date.now() - 5.1 * 86_400_000);
  await scene.db.updateTable('webhook_endpoints').set({ failing_since }).execute();
  scene.receiver.always({ status: 500 });
  scene.worker.start();
  await move(scene.db, scene.keys);
  expect(await disabled()).toMatchObject({ disabledReason: 'failing', pendingCount: 1 });
  const { length } = scene.receiver.received;
  await move(scene.db, scene.keys, 11);
  expect(await pending(scene.db)).toBe(1);
  expect(scene.receiver.received).toHaveLength(length);
});

test('one success ends the failing state of an endpoint', async () => {
  scene.receiver.next({ status: 500 });
  await deliver();
  const ended = { failingSince: null, lastFailure: null };
  expect(await getEndpoint(scene.db, scene.endpoint.id)).toMatchObject(ended);
});

test('an endpoint that never answers does not delay another', async () => {
  const dead = await startReceiver({ authority });
  dead.always('hang');
  await register(scene.db, scene.accountId, dead);
  const settings = { schedule: standardSchedule, concurrency: 4, retryConcurrency: 2, stopMs: 10 };
  scene.start({ addresses: rulesFor([scene.receiver, dead]), settings });
  await move(scene.db, scene.keys, 17);
  await dead.until(1);
  for (const code of [3, 14, 11]) await move(scene.db, scene.keys, code);
  await scene.receiver.until(4);
  await dead.close();
});
