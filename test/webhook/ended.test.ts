import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { NIL } from 'uuid';
import { deleteAccount } from '../../src/accounts/delete-account.js';
import type { Db } from '../../src/db/connect.js';
import { transaction } from '../../src/db/transaction.js';
import { type Claim, claimLanes } from '../../src/queue/claim.js';
import { endEndpointsOf } from '../../src/queue/erasure.js';
import { createFloors } from '../../src/queue/floors.js';
import { testEndpoint } from '../../src/queue/replay.js';
import { purge } from '../../src/queue/upkeep.js';
import { nextDeliveries } from '../../src/webhook/next-deliveries.js';
import { standardSettings } from '../../src/webhook/settings.js';
import { operator } from '../domain/orders-fixtures.js';
import { lockWaiters } from '../support/database.js';
import { waitFor } from '../support/receiver.js';
import { eachScene, move, pending, register, type Scene, silent } from './support.js';

let scene: Scene;
eachScene(
  (opened) => {
    scene = opened;
  },
  { packages: 2, lanes: 2 },
);

/** Deletes the account as REST does. */
async function deleteOwnerIn(trx: Db): Promise<void> {
  await deleteAccount(trx, operator, scene.accountId);
  await endEndpointsOf(trx, scene.accountId);
}
const deleteOwner = (): Promise<void> => transaction(scene.db, deleteOwnerIn);

const manyLanes = { lanes: 10, ofAccount: 10, ofAccountAtOnce: 10, underWay: new Map(), after: NIL };
const claim = (db: Db): Promise<Claim[]> => claimLanes(db, { prompt: 10, slow: manyLanes, again: 10, leaseMs: 30_000 });

test('no waiting body of a deleted account is sent, at its first attempt or at a later one', async () => {
  const { db, receiver, keys, worker } = scene;
  receiver.always({ status: 500 });
  worker.start();
  await move(db, keys);
  await receiver.until(1);
  await move(db, keys, 11);
  await deleteOwner();
  // The deletion does not interrupt a request that is under way.
  await waitFor(() => worker.underWay() === 0, 'the requests under way');
  const { length } = receiver.received;
  // Longer than the pauses of the schedule.
  await sleep(200);
  expect(receiver.received).toHaveLength(length);
  await worker.stop();
  while ((await purge(db, standardSettings.retention)).isFull);
  expect(await pending(db)).toBe(0);
});

test.each(['before its first attempt', 'before a later attempt', 'because the operator requested it'])(
  'a body of a deleted account that a worker claimed %s, and had not begun to send, is not sent',
  async (when) => {
    const { db, keys, endpoint } = scene;
    if (when.startsWith('because')) await testEndpoint(db, endpoint.id);
    else await move(db, keys);
    if (when.endsWith('a later attempt')) {
      const deliveries = await nextDeliveries({ db, floors: createFloors(), log: silent }, await claim(db));
      expect(deliveries).not.toHaveLength(0);
      await sql`update webhook_lanes set due_at = now(), attempt = 1 where state = 'leased'`.execute(db);
    }
    const claims = await claim(db);
    expect(claims).not.toHaveLength(0);
    await deleteOwner();
    expect(await nextDeliveries({ db, floors: createFloors(), log: silent }, claims)).toEqual([]);
    expect(await claim(db)).toEqual([]);
  },
);

test('no endpoint is registered while its account is being deleted', async () => {
  const { db, accountId } = scene;
  const { registering } = await db.transaction().execute(async (trx) => {
    await deleteOwnerIn(trx);
    const registering = register(db, accountId, { url: 'https://hooks.example.com/late' });
    registering.catch(() => undefined);
    await waitFor(async () => (await lockWaiters(db)) > 0, 'the registration to wait');
    return { registering };
  });
  await expect(registering).rejects.toMatchObject({ details: [{ field: 'userId' }] });
});
