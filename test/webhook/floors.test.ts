import { beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.js';
import type { Claim } from '../../src/queue/claim.js';
import { createFloors, type Floors } from '../../src/queue/floors.js';
import { recordResults } from '../../src/queue/record.js';
import { type ClaimedDelivery, nextDeliveries } from '../../src/webhook/next-deliveries.js';
import { queueEntriesRead } from '../support/queue.js';
import { waitFor } from '../support/receiver.js';
import { acknowledged, claimDue, eachOwnQueue, move, payloadOf, pending, silent } from './support.js';

const queue = eachOwnQueue(2);
let floors: Floors;
beforeEach(() => {
  floors = createFloors();
});

/** Takes the delivery of the one lane that is due, and records that it was acknowledged. */
async function deliver(db: Db, claims?: readonly Claim[]): Promise<ClaimedDelivery> {
  const [delivery] = await nextDeliveries({ db, floors, log: silent }, claims ?? (await claimDue(queue.db)));
  if (!delivery) throw new Error('nothing was claimed');
  await recordResults(db, [acknowledged(delivery)], floors);
  return delivery;
}

test('rows that a lane has delivered are soon no longer read, although an open snapshot keeps them', async () => {
  const DELIVERED = 30_000;
  const { db, keys } = queue;
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (snapshot) => {
      await snapshot.selectFrom('accounts').select('id').execute();
      await sql`
        insert into webhook_notifications (lane_id, loggi_key, seq)
        select id, ${keys[0]}, n from webhook_lanes, generate_series(1, ${sql.lit(DELIVERED)}) n where number = 0`.execute(
        db,
      );
      await db.deleteFrom('webhook_notifications').execute();
      await db.connection().execute(async (single) => {
        const readByOne = async () => {
          const before = await notificationsRead(single);
          await move(single, keys);
          await deliver(single);
          return (await notificationsRead(single)) - before;
        };
        expect(await readByOne()).toBeGreaterThanOrEqual(2 * DELIVERED);
        await waitFor(async () => (await readByOne()) < DELIVERED, 'a delivery that reads little');
      });
    });
});

async function notificationsRead(single: Db): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(single);
  return queueEntriesRead(single);
}

test('a movement that commits late is sent before later ones of its package, even if its lane went on meanwhile', async () => {
  const { db, keys } = queue;
  const [late = '', other = ''] = keys;
  const sent: ClaimedDelivery[] = [];
  await move(db, [other]);
  let claims = await claimDue(db);
  await db.transaction().execute(async (trx) => {
    await move(trx, [late], 14);
    for (let round = 0; round < 5; round += 1) {
      // A new movement before each record keeps the lane awake without the late transaction.
      await move(db, [other]);
      sent.push(await deliver(db, claims));
      claims = await claimDue(db);
    }
  });
  await move(db, [late], 11);
  sent.push(await deliver(db, claims));
  while ((await pending(db)) > 0) sent.push(await deliver(db));
  const packages = sent.flatMap((delivery) => payloadOf(delivery).packages);
  expect(packages.filter(({ loggiKey }) => loggiKey === late).map(({ status }) => status.code)).toEqual([14, 11]);
});
