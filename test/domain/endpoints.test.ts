import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { newId } from '../../src/base/ids.js';
import { parseKeyRing } from '../../src/base/secrets/keys.js';
import { SealError } from '../../src/base/secrets/seal.js';
import { transaction } from '../../src/db/transaction.js';
import { getEndpoint } from '../../src/endpoints/endpoint-queries.js';
import { createEndpoint, deleteEndpoint, disableEndpoint, updateEndpoint } from '../../src/endpoints/endpoints.js';
import { newKeyPair } from '../../src/endpoints/key-pairs.js';
import { newSigningSecret, openSecrets, sealSecret } from '../../src/endpoints/secrets.js';
import { enqueueNotifications } from '../../src/queue/enqueue.js';
import { lockWaiters } from '../support/database.js';
import { waitFor } from '../support/receiver.js';
import { ownDatabase } from '../support/services.js';
import { makeAccount } from './accounts-fixtures.js';
import { makeOrder, rowsRead } from './orders-fixtures.js';

const ring = parseKeyRing(`a:${Buffer.alloc(32, 1).toString('base64')}`);
const { db } = await ownDatabase();
const { id: accountId } = await makeAccount(db);
let number = 0;

const destination = (path = `/hook/${++number}`) => ({
  url: new URL(`https://hooks.example.com${path}`),
  username: 'malote',
  password: 's3cr3t',
});
const create = async (more: { lanes?: number } = {}) =>
  (await createEndpoint(db, ring, { accountId, destination: destination(), ...more })).endpoint;
const lanesOf = (id: string) =>
  db
    .selectFrom('webhook_lanes')
    .select(['number', 'generation', 'state'])
    .where('endpoint_id', '=', id)
    .orderBy('id')
    .execute();

test('an endpoint can get another number of lanes; the new lanes wait until the old ones are empty', async () => {
  const { id } = await create();
  await updateEndpoint(db, ring, id, { destination: destination(), lanes: 3 });
  const lanes = await lanesOf(id);
  const listed = lanes.map(({ number: each, generation, state }) => `${each} of ${generation} ${state}`);
  expect(listed.join()).toBe('-1 of 1 idle,0 of 1 idle,0 of 2 held,1 of 2 held,2 of 2 held');
});

test('movements are notified to the active endpoints of their account, in the transaction that records them', async () => {
  const { id: owner } = await makeAccount(db);
  const register = async () =>
    (await createEndpoint(db, ring, { accountId: owner, destination: destination(), lanes: 4 })).endpoint.id;
  const [active, off, deleted] = [await register(), await register(), await register()];
  await disableEndpoint(db, off);
  await deleteEndpoint(db, deleted);
  const moved = Array.from({ length: 40 }, () => newId()).flatMap((loggiKey) =>
    [2, 1].map((seq) => ({ accountId: owner, loggiKey, seq })),
  );
  const rolledBack = db.transaction().execute(async (trx) => {
    await enqueueNotifications(trx, moved);
    throw new Error('undone');
  });
  await expect(rolledBack).rejects.toThrow('undone');
  expect(await getEndpoint(db, active)).toMatchObject({ pendingCount: 0 });
  await enqueueNotifications(db, moved);
  expect(await getEndpoint(db, active)).toMatchObject({ pendingCount: 80 });
  expect(await getEndpoint(db, off)).toMatchObject({ pendingCount: 0 });
  const rows = await db.selectFrom('webhook_notifications').selectAll().orderBy('id').execute();
  const lanes = new Map<string, Set<number>>();
  const seqs = new Map<string, number[]>();
  for (const { loggi_key, lane_id, seq } of rows) {
    lanes.set(loggi_key, (lanes.get(loggi_key) ?? new Set()).add(lane_id));
    seqs.set(loggi_key, [...(seqs.get(loggi_key) ?? []), seq]);
  }
  expect([...lanes.values()].every(({ size }) => size === 1)).toBe(true);
  expect(new Set([...lanes.values()].flatMap((each) => [...each])).size).toBe(4);
  expect([...seqs.values()].every(([first, second]) => first === 1 && second === 2)).toBe(true);
  expect((await lanesOf(active)).map(({ state }) => state)).toEqual(['idle', 'ready', 'ready', 'ready', 'ready']);
});

test('a movement wakes its lane without reading the other lanes, even if all became idle a moment ago', async () => {
  const { id: owner } = await makeAccount(db);
  await createEndpoint(db, ring, { accountId: owner, destination: destination() });
  const { id: busy } = await create();
  await sql`
    insert into webhook_lanes (endpoint_id, generation, number, state)
    select ${busy}, generation, 0, 'ready' from generate_series(2, 3000) as generation`.execute(db);
  await sql`analyze webhook_endpoints, webhook_lanes`.execute(db);
  await sql`update webhook_lanes set state = 'idle' where state = 'ready'`.execute(db);
  const read = await db.transaction().execute(async (trx) => {
    const before = await rowsRead(trx, 'webhook_lanes');
    await enqueueNotifications(trx, [{ accountId: owner, loggiKey: newId(), seq: 1 }]);
    return (await rowsRead(trx, 'webhook_lanes')) - before;
  });
  // The lane is read twice: by its number and by its id. Locking and waking it is not counted.
  expect(read).toBe(2);
});

test('secrets can be opened for their own endpoint only', () => {
  const [one, other] = [newId(), newId()];
  const signing = newSigningSecret();
  const { publicKey, privateKey } = newKeyPair();
  const sealed = {
    password_sealed: sealSecret(ring, one, 's3cr3t'),
    secret_sealed: sealSecret(ring, one, signing),
    previous_secret_sealed: null,
    private_key_sealed: sealSecret(ring, one, privateKey),
    previous_private_key_sealed: null,
  };
  const { privateKeys, ...others } = openSecrets(ring, { id: one, ...sealed });
  expect(others).toEqual({ password: 's3cr3t', signingSecrets: [signing] });
  expect(privateKeys.map((key) => key.export({ format: 'jwk' }).x)).toEqual([
    Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url'),
  ]);
  expect(() => openSecrets(ring, { id: other, ...sealed })).toThrow(SealError);
});

test('a movement recorded while the lanes of an endpoint change goes into the new ones', async () => {
  const { id: accountId } = await makeAccount(db);
  const { endpoint } = await createEndpoint(db, ring, { accountId, destination: destination() });
  const moved = { accountId, loggiKey: newId(), seq: 1 };
  const recordings = await db.transaction().execute(async (trx) => {
    await updateEndpoint(trx, ring, endpoint.id, { destination: destination(), lanes: 3 });
    const enqueued = transaction(db, (other) => enqueueNotifications(other, [moved]));
    const placed = makeOrder(db, accountId);
    await waitFor(async () => (await lockWaiters(db)) >= 2, 'both to wait');
    return { enqueued, placed };
  });
  await recordings.enqueued;
  const [placedPackage] = (await recordings.placed).packages;
  const notifications = await db
    .selectFrom('webhook_notifications as waiting')
    .innerJoin('webhook_lanes as lane', 'lane.id', 'waiting.lane_id')
    .select(['waiting.loggi_key', 'lane.generation'])
    .where('waiting.loggi_key', 'in', [moved.loggiKey, placedPackage?.loggiKey ?? ''])
    .execute();
  expect(notifications.map(({ generation }) => generation)).toEqual([2, 2]);
});
