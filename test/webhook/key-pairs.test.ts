import { createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { isGenuine } from '../../contracts/examples/receivers/public-key.js';
import type { KeyRing } from '../../src/base/secrets/keys.js';
import { getEndpoint, publicKeysOf } from '../../src/endpoints/endpoint-queries.js';
import { rotateKeyPair } from '../../src/endpoints/endpoints.js';
import { openSecrets } from '../../src/endpoints/secrets.js';
import { createFloors } from '../../src/queue/floors.js';
import { replayDelivery, testEndpoint } from '../../src/queue/replay.js';
import { addKeyPairs } from '../../src/queue/upkeep.js';
import type { Send } from '../../src/webhook/http-client.js';
import { nextDeliveries } from '../../src/webhook/next-deliveries.js';
import { createOpenKeys, sendDelivery } from '../../src/webhook/request.js';
import { type Received, waitFor } from '../support/receiver.js';
import { claimDue, drained, move, openScene, register, ring, silent } from './support.js';

const scene = await openScene();
const worker = scene.start();
afterAll(() => scene.close());

const toKey = (publicKey: string) => {
  const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
};
const publicKeyOf = (privateKey: KeyObject) =>
  `whpk_${Buffer.from(String(privateKey.export({ format: 'jwk' }).x), 'base64url').toString('base64')}`;
const verifies = (publicKey: string, { headers, body }: Received) => isGenuine([toKey(publicKey)], headers, body);
const schemesOf = ({ headers }: Received) =>
  String(headers['webhook-signature'])
    .split(' ')
    .map((signature) => signature.split(',')[0]);

/** Does `send`, and waits for the next delivery at the endpoint's path. */
async function arrival(send: () => Promise<unknown>): Promise<Received> {
  const before = scene.receiver.received.length;
  await send();
  await scene.receiver.until(before + 1);
  const received = scene.receiver.received[before];
  if (!received) throw new Error('nothing arrived');
  return received;
}

const tested = () => arrival(() => testEndpoint(scene.db, scene.endpoint.id));
const rowOf = () =>
  scene.db.selectFrom('webhook_endpoints').selectAll().where('id', '=', scene.endpoint.id).executeTakeFirstOrThrow();

test('only the public key of the endpoint verifies the signature of deliveries, replays and tests', async () => {
  const [publicKey = ''] = await publicKeysOf(scene.db, scene.endpoint.id);
  expect(await getEndpoint(scene.db, scene.endpoint.id)).toMatchObject({ publicKey });
  const delivery = await arrival(() => move(scene.db, scene.keys));
  await drained(scene.db);
  const replay = await arrival(() => replayDelivery(scene.db, String(delivery.headers['webhook-id'])));
  for (const each of [delivery, replay, await tested()]) {
    expect(schemesOf(each)).toEqual(['v1', 'v1a']);
    expect(verifies(publicKey, each)).toBe(true);
    expect(verifies(publicKey, { ...each, body: Buffer.concat([each.body, Buffer.from(' ')]) })).toBe(false);
    expect(verifies(publicKey, { ...each, headers: { ...each.headers, 'webhook-id': 'another' } })).toBe(false);
  }
  const other = await register(scene.db, scene.accountId, { url: `${scene.receiver.url}/other` });
  const [otherKey = ''] = await publicKeysOf(scene.db, other.id);
  expect(verifies(otherKey, delivery)).toBe(false);
  const toOther = await arrival(() => testEndpoint(scene.db, other.id));
  expect([publicKey, otherKey].map((key) => verifies(key, toOther))).toEqual([false, true]);
});

test('during a rotation both key pairs sign and are published; after it only the new one', async () => {
  const [before = ''] = await publicKeysOf(scene.db, scene.endpoint.id);
  const { publicKey: after, previousValidUntil } = await rotateKeyPair(scene.db, ring, scene.endpoint.id);
  expect(previousValidUntil.getTime() - Date.now()).toBeGreaterThan(23 * 3_600_000);
  expect(await publicKeysOf(scene.db, scene.endpoint.id)).toEqual([after, before]);
  const meanwhile = await tested();
  expect(schemesOf(meanwhile)).toEqual(['v1', 'v1a', 'v1a']);
  expect([before, after].map((key) => verifies(key, meanwhile))).toEqual([true, true]);

  const ended = { previous_key_until: new Date(Date.now() - 1_000) };
  await scene.db.updateTable('webhook_endpoints').set(ended).where('id', '=', scene.endpoint.id).execute();
  expect(await publicKeysOf(scene.db, scene.endpoint.id)).toEqual([after]);
  const later = await tested();
  expect([before, after].map((key) => verifies(key, later))).toEqual([false, true]);

  await rotateKeyPair(scene.db, ring, scene.endpoint.id);
  await rotateKeyPair(scene.db, ring, scene.endpoint.id);
  expect(verifies(after, await tested())).toBe(false);
});

describe('an endpoint that a release before 1.3 registered', () => {
  beforeEach(async () => {
    // A running worker would add the key pair that these tests need to be missing.
    await worker.stop();
    const present = { public_key: null, private_key_sealed: null };
    const previous = { previous_public_key: null, previous_private_key_sealed: null, previous_key_until: null };
    const without = { ...present, ...previous };
    await scene.db.updateTable('webhook_endpoints').set(without).execute();
  });

  /** Sends a test delivery without a running worker, and resolves to its signature. */
  async function signatureOfTest(): Promise<string | undefined> {
    await testEndpoint(scene.db, scene.endpoint.id);
    const freezing = { db: scene.db, floors: createFloors(), log: silent };
    const [delivery] = await nextDeliveries(freezing, await claimDue(scene.db));
    let signature: string | undefined;
    const send: Send = async ({ headers }) => {
      signature = headers['webhook-signature'];
      return { outcome: { kind: 'not_sent', error: '', durationMs: 0 }, reused: false };
    };
    const deps = { keys: createOpenKeys(ring), send, ownFailureOf: async () => undefined };
    if (delivery) await sendDelivery(deps, delivery, new Date(), new AbortController().signal);
    return signature;
  }

  test('still gets deliveries, with a v1 signature only', async () => {
    expect(await publicKeysOf(scene.db, scene.endpoint.id)).toEqual([]);
    expect(await getEndpoint(scene.db, scene.endpoint.id)).toMatchObject({ publicKey: null });
    expect(await signatureOfTest()).toMatch(/^v1,\S+$/);
  });

  test('gets one key pair when several processes add it at once', async () => {
    await Promise.all([1, 2, 3].map(() => addKeyPairs(scene.db, ring)));
    const keysNow = await publicKeysOf(scene.db, scene.endpoint.id);
    expect(keysNow).toHaveLength(1);
    expect(openSecrets(ring, await rowOf()).privateKeys.map(publicKeyOf)).toEqual(keysNow);
    expect(await addKeyPairs(scene.db, ring)).toBe(false);
    expect(await publicKeysOf(scene.db, scene.endpoint.id)).toEqual(keysNow);
  });

  test('gets a key pair from a worker that has the right ENCRYPTION_KEYS', async () => {
    const encryptionKeys: KeyRing = [{ id: 'other', secret: randomBytes(32) }];
    const stranger = scene.start({ encryptionKeys });
    await waitFor(() => stranger.troubles().length > 0, 'the trouble');
    await stranger.stop();
    expect(await publicKeysOf(scene.db, scene.endpoint.id)).toEqual([]);
    const another = scene.start();
    await waitFor(async () => (await publicKeysOf(scene.db, scene.endpoint.id)).length === 1, 'the key pair');
    await another.stop();
  });

  test('loses its key pairs when a release before 1.3 deletes it', async () => {
    await rotateKeyPair(scene.db, ring, scene.endpoint.id);
    await rotateKeyPair(scene.db, ring, scene.endpoint.id);
    await sql`update webhook_endpoints set deleted_at = now() where id = ${scene.endpoint.id}`.execute(scene.db);
    const erased = { public_key: null, private_key_sealed: null };
    expect(await rowOf()).toMatchObject({ previous_public_key: null, previous_private_key_sealed: null, ...erased });
    await expect(publicKeysOf(scene.db, scene.endpoint.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await addKeyPairs(scene.db, ring);
    expect(await rowOf()).toMatchObject(erased);
  });
});
