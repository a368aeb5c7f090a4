import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { rotateSigningSecret } from '../../src/outbox/endpoints.js';
import { replayDelivery, testEndpoint } from '../../src/outbox/replay.js';
import type { WebhookWorker } from '../../src/webhook/index.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { createAuthority, type Received, type Receiver, startReceiver } from '../support/receiver.js';
import { drained, move, register, ring, shipped, workerFor } from './support.js';

let database: TestDatabase;
let receiver: Receiver;
let worker: WebhookWorker;

beforeEach(async () => {
  const authority = await createAuthority();
  database = await createDatabase();
  receiver = await startReceiver({ authority });
  worker = workerFor(database.db, authority, [receiver]);
  worker.start();
});
afterEach(async () => {
  await worker.stop();
  await receiver.close();
  await database.drop();
});

const verifiers = [
  ['standardwebhooks', (secret: string) => new StandardWebhook(secret)],
  ['svix', (secret: string) => new SvixWebhook(secret)],
] as const;

const textHeaders = ({ headers }: Received): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** A first attempt, a second one, a replay, a test, and after a change of the key another delivery. */
async function everyKind(): Promise<{ secrets: [string, string] }> {
  const { accountId, keys } = await shipped(database.db, 3);
  const { id, signingSecret } = await register(database.db, accountId, receiver);
  receiver.next({ status: 500 });
  await move(database.db, keys);
  const [first] = await receiver.until(2);
  await drained(database.db);
  await replayDelivery(database.db, String(first?.headers['webhook-id']));
  await receiver.until(3);
  await testEndpoint(database.db, id);
  await receiver.until(4);
  const rotated = await rotateSigningSecret(database.db, ring, id);
  await move(database.db, keys, 11);
  await receiver.until(5);
  return { secrets: [signingSecret, rotated.signingSecret] };
}

test.each(verifiers)(
  'the package %s accepts every kind of delivery, and nothing that was changed',
  async (_, verifierOf) => {
    const { secrets } = await everyKind();
    const [before, after] = secrets;
    const deliveries = receiver.received.map((each) => ({
      text: each.body.toString('utf8'),
      headers: textHeaders(each),
    }));
    for (const { text, headers } of deliveries) {
      expect(verifierOf(before).verify(text, headers)).toEqual(JSON.parse(text));
      expect(() => verifierOf(before).verify(`${text} `, headers)).toThrow();
      expect(() => verifierOf(before).verify(text, { ...headers, 'webhook-id': 'another' })).toThrow();
    }
    const verdicts = deliveries.map(({ text, headers }) => {
      try {
        return verifierOf(after).verify(text, headers) !== undefined;
      } catch {
        return false;
      }
    });
    expect(verdicts).toEqual([false, false, false, false, true]);
  },
);
