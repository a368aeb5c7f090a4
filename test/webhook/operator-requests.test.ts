import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { Webhook } from 'standardwebhooks';
import { trackingSchema } from '../../generated/tracking-webhook.js';
import { claimLanes } from '../../src/deliveries/claim.js';
import { getDelivery, listAttempts } from '../../src/deliveries/delivery-queries.js';
import { getEndpoint } from '../../src/deliveries/endpoint-queries.js';
import {
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  rotateSigningSecret,
  updateEndpoint,
} from '../../src/deliveries/endpoints.js';
import { replayDeliveries, replayDelivery, testEndpoint } from '../../src/deliveries/replay.js';
import { purge } from '../../src/deliveries/upkeep.js';
import type { WebhookWorker } from '../../src/webhook/index.js';
import { nextDeliveries } from '../../src/webhook/next-deliveries.js';
import { createPlaces } from '../../src/webhook/places.js';
import { standardSettings } from '../../src/webhook/settings.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { type Authority, createAuthority, type Receiver, startReceiver, waitFor } from '../support/receiver.js';
import { drained, move, pending, type Registered, register, ring, shipped, silent, workerFor } from './support.js';

let database: TestDatabase;
let authority: Authority;
let receiver: Receiver;
let worker: WebhookWorker;
let accountId: string;
let keys: string[];
let endpoint: Registered;

beforeAll(async () => {
  authority = await createAuthority();
});
beforeEach(async () => {
  database = await createDatabase();
  receiver = await startReceiver({ authority });
  worker = workerFor(database.db, authority, [receiver]);
  ({ accountId, keys } = await shipped(database.db));
  endpoint = await register(database.db, accountId, receiver);
  worker.start();
});
afterEach(async () => {
  await worker.stop();
  await receiver.close();
  await database.drop();
});

const idOf = (index: number): string => String(receiver.received[index]?.headers['webhook-id']);
const untilSettled = (webhookId: string) =>
  waitFor(async () => (await getDelivery(database.db, webhookId)).state !== 'waiting', 'the delivery to be settled');

async function deadLetter(): Promise<string> {
  receiver.next(...Array.from({ length: 5 }, () => ({ status: 500 })));
  await move(database.db, keys);
  await drained(database.db);
  return idOf(0);
}

describe('a replay', () => {
  test('sends the same bytes again under the same id, marked', async () => {
    await move(database.db, keys);
    await drained(database.db);
    expect(await replayDelivery(database.db, idOf(0))).toMatchObject({ state: 'waiting' });
    await receiver.until(2);
    const [first, again] = receiver.received;
    expect(again?.headers).toMatchObject({ 'malote-replay': 'true', 'webhook-id': idOf(0) });
    expect(again?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
    await untilSettled(idOf(0));
    expect(await getDelivery(database.db, idOf(0))).toMatchObject({ state: 'delivered', attemptCount: 2 });
  });

  test('turns a dead letter into a delivered one; a replay that fails leaves it a dead letter', async () => {
    const webhookId = await deadLetter();
    expect(await getEndpoint(database.db, endpoint.id)).toMatchObject({ deadLetterCount: 1 });
    receiver.next(...Array.from({ length: 3 }, () => ({ status: 500 })));
    expect(await replayDeliveries(database.db, endpoint.id, 'dead-letters')).toBe(1);
    await untilSettled(webhookId);
    expect(await getDelivery(database.db, webhookId)).toMatchObject({ state: 'dead_letter', attemptCount: 8 });
    expect(await replayDeliveries(database.db, endpoint.id, 'dead-letters')).toBe(1);
    await untilSettled(webhookId);
    const { attempts, ...delivery } = await getDelivery(database.db, webhookId);
    expect(delivery).toMatchObject({ state: 'delivered', attemptCount: 9 });
    expect(attempts.map(({ number }) => number)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(await replayDeliveries(database.db, endpoint.id, 'dead-letters')).toBe(0);
  });

  test('takes a range of time, each delivery once', async () => {
    for (const code of [3, 14, 17]) {
      await move(database.db, keys, code);
      await drained(database.db);
    }
    const from = new Date(Date.now() - 60_000);
    const to = new Date(Date.now() + 60_000);
    expect(await replayDeliveries(database.db, endpoint.id, { from, to: from })).toBe(0);
    expect(await replayDeliveries(database.db, endpoint.id, { from, to })).toBe(3);
    await receiver.until(6);
    expect([3, 4, 5].map(idOf)).toEqual([0, 1, 2].map(idOf));
  });

  test('that fails does not hold back new movements', async () => {
    const webhookId = await deadLetter();
    receiver.always({ status: 500 });
    await replayDelivery(database.db, webhookId);
    await receiver.until(6);
    receiver.always({ status: 200 });
    await move(database.db, keys, 11);
    await drained(database.db, 2_000);
  });

  test('is refused while the delivery waits, while the endpoint is disabled, and for an id that was never used', async () => {
    receiver.always({ status: 500 });
    await move(database.db, keys);
    await receiver.until(1);
    await expect(replayDelivery(database.db, idOf(0))).rejects.toMatchObject({ code: 'CONFLICT' });
    await disableEndpoint(database.db, endpoint.id);
    await expect(replayDeliveries(database.db, endpoint.id, 'dead-letters')).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await expect(testEndpoint(database.db, endpoint.id)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(replayDelivery(database.db, 'no-such-id')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a test', () => {
  const validate = formats.default(new Ajv()).compile(trackingSchema);

  test('sends a sample of the published schema, marked', async () => {
    const { webhookId, ...queued } = await testEndpoint(database.db, endpoint.id);
    expect(queued).toMatchObject({ kind: 'test', state: 'waiting', packageCount: 1, attemptCount: 0, body: null });
    await untilSettled(webhookId);
    const [only] = receiver.received;
    expect(only?.headers).toMatchObject({ 'malote-test': 'true', 'webhook-id': webhookId });
    expect(only?.headers['malote-replay']).toBeUndefined();
    expect(validate(JSON.parse(String(only?.body)))).toBe(true);
    const done = await getDelivery(database.db, webhookId);
    expect(done).toMatchObject({ state: 'delivered', attemptCount: 1, body: String(only?.body) });
  });

  test('that fails is tried once and does not count as a dead letter of the endpoint', async () => {
    receiver.always({ status: 500 });
    const { webhookId } = await testEndpoint(database.db, endpoint.id);
    await untilSettled(webhookId);
    expect(await getDelivery(database.db, webhookId)).toMatchObject({ state: 'dead_letter', attemptCount: 1 });
    expect((await getEndpoint(database.db, endpoint.id)).deadLetterCount).toBe(0);
  });

  test('that fails is never replayed: neither by its id nor with a range of time or the dead letters', async () => {
    receiver.always({ status: 500 });
    const { webhookId } = await testEndpoint(database.db, endpoint.id);
    await untilSettled(webhookId);
    await expect(replayDelivery(database.db, webhookId)).rejects.toMatchObject({ code: 'CONFLICT' });
    const [from, to] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)];
    expect(await replayDeliveries(database.db, endpoint.id, { from, to })).toBe(0);
    expect(await replayDeliveries(database.db, endpoint.id, 'dead-letters')).toBe(0);
  });

  test('that fails after another worker began it is not tried again, and the request behind it is sent', async () => {
    await worker.stop();
    const { webhookId } = await testEndpoint(database.db, endpoint.id);
    const { webhookId: next } = await testEndpoint(database.db, endpoint.id);
    const { free } = createPlaces(standardSettings);
    await nextDeliveries({ db: database.db, log: silent }, await claimLanes(database.db, { ...free(), leaseMs: 0 }));
    receiver.next({ status: 500 });
    worker = workerFor(database.db, authority, [receiver]);
    worker.start();
    await untilSettled(next);
    expect(await getDelivery(database.db, webhookId)).toMatchObject({ state: 'dead_letter', attemptCount: 1 });
    expect(await getDelivery(database.db, next)).toMatchObject({ state: 'delivered', attemptCount: 1 });
    expect(receiver.received.map(({ headers }) => headers['malote-replay'])).toEqual([undefined, undefined]);
  });

  test('that is answered 410 disables the endpoint, and is not sent again once it is enabled', async () => {
    receiver.next({ status: 410 });
    const { webhookId } = await testEndpoint(database.db, endpoint.id);
    await untilSettled(webhookId);
    expect(await getEndpoint(database.db, endpoint.id)).toMatchObject({ state: 'disabled', disabledReason: 'gone' });
    await enableEndpoint(database.db, endpoint.id);
    const { webhookId: next } = await testEndpoint(database.db, endpoint.id);
    await untilSettled(next);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([webhookId, next]);
  });
});

test('while a signing secret is rotated, both keys verify', async () => {
  const { signingSecret } = await rotateSigningSecret(database.db, ring, endpoint.id);
  await move(database.db, keys);
  await receiver.until(1);
  const [only] = receiver.received;
  const headers = { ...only?.headers } as Record<string, string>;
  for (const secret of [signingSecret, endpoint.signingSecret]) {
    expect(() => new Webhook(secret).verify(String(only?.body), headers)).not.toThrow();
  }
  expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+ v1a,\S+$/);
});

test('a disabled endpoint receives nothing, and what waited once it is enabled', async () => {
  receiver.always({ status: 500 });
  await move(database.db, keys, 17);
  await receiver.until(1);
  await disableEndpoint(database.db, endpoint.id);
  await move(database.db, keys, 11);
  receiver.always({ status: 200 });
  const before = receiver.received.length;
  await enableEndpoint(database.db, endpoint.id);
  await drained(database.db);
  const codes = receiver.received.slice(before).map(({ body }) => JSON.parse(String(body)).packages[0].status.code);
  expect(codes).toEqual([17]);
});

test('what waits goes to the new address of an endpoint', async () => {
  const other = await startReceiver({ authority });
  const both = workerFor(database.db, authority, [receiver, other]);
  await worker.stop();
  await move(database.db, keys);
  const destination = { url: new URL(other.url), username: 'malote' };
  await updateEndpoint(database.db, ring, endpoint.id, { destination });
  both.start();
  await other.until(1);
  expect(other.received[0]?.authenticated).toBe(true);
  await drained(database.db);
  await both.stop();
  await other.close();
});

test('a deleted endpoint receives nothing more, and what waited for it is removed', async () => {
  receiver.always({ status: 500 });
  await move(database.db, keys);
  await receiver.until(1);
  await deleteEndpoint(database.db, endpoint.id);
  await waitFor(async () => {
    await purge(database.db, standardSettings.retention);
    return (await pending(database.db)) === 0;
  }, 'the queue to be purged');
  await expect(listAttempts(database.db, endpoint.id, { page: 1, pageSize: 1 })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('a change of lanes keeps the order of each package', async () => {
  const { keys: many } = await shipped(database.db, 12).then(async (more) => {
    await database.db
      .updateTable('packages')
      .set({ account_id: accountId })
      .where('loggi_key', 'in', more.keys)
      .execute();
    return more;
  });
  const destination = { url: new URL(receiver.url), username: 'malote' };
  receiver.next({ status: 500 }, { status: 500 });
  for (const [code, lanes] of [
    [3, 4],
    [14, 16],
    [17, 2],
  ] as const) {
    await move(database.db, many, code);
    await updateEndpoint(database.db, ring, endpoint.id, { destination, lanes });
  }
  await move(database.db, many, 11);
  await drained(database.db);
  const codes = new Map<string, number[]>();
  for (const { body, headers } of receiver.received) {
    for (const { loggiKey, status } of JSON.parse(String(body)).packages) {
      const earlier = codes.get(loggiKey) ?? [];
      if (headers['webhook-id'] && earlier.at(-1) !== status.code) codes.set(loggiKey, [...earlier, status.code]);
    }
  }
  expect([...codes.values()]).toEqual(many.map(() => [3, 14, 17, 11]));
});
