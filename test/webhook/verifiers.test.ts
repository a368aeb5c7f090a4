import { afterAll, expect, test } from '@jest/globals';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { rotateSigningSecret } from '../../src/endpoints/endpoints.js';
import { replayDelivery, testEndpoint } from '../../src/queue/replay.js';
import type { Received } from '../support/receiver.js';
import { drained, move, openScene, ring } from './support.js';

const scene = await openScene({ packages: 3 });
scene.worker.start();
afterAll(() => scene.close());

const verifiers = [
  ['standardwebhooks', (secret: string) => new StandardWebhook(secret)],
  ['svix', (secret: string) => new SvixWebhook(secret)],
] as const;

const textHeaders = ({ headers }: Received): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** Sends a first attempt, a second attempt, a replay, a test, and a delivery after a change of the key. */
async function everyKind(): Promise<[string, string]> {
  const { db, receiver, keys, endpoint } = scene;
  const { id, signingSecret } = endpoint;
  receiver.next({ status: 500 });
  await move(db, keys);
  const [first] = await receiver.until(2);
  await drained(db);
  await replayDelivery(db, String(first?.headers['webhook-id']));
  await receiver.until(3);
  await testEndpoint(db, id);
  await receiver.until(4);
  const rotated = await rotateSigningSecret(db, ring, id);
  await move(db, keys, 11);
  await receiver.until(5);
  return [signingSecret, rotated.signingSecret];
}

const [before, after] = await everyKind();

test.each(verifiers)(
  'the package %s accepts every kind of delivery, and refuses changed ones',
  async (_, verifierOf) => {
    const deliveries = scene.receiver.received.map((each) => ({ text: String(each.body), headers: textHeaders(each) }));
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
