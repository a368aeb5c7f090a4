import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.js';
import { createFloors } from '../../src/queue/floors.js';
import { recordResults } from '../../src/queue/record.js';
import { createPlanRenewal } from '../../src/queue/upkeep.js';
import { nextDeliveries } from '../../src/webhook/next-deliveries.js';
import { acknowledged, claimDue, eachOwnQueue, move, silent } from './support.js';

const queue = eachOwnQueue();

const WAITING = 20_000;

/** Adds many waiting notifications. */
const fill = () =>
  sql`
    insert into webhook_notifications (lane_id, loggi_key, seq)
    select 999, ${queue.keys[0]}, n from generate_series(1, ${sql.lit(WAITING)}) n`.execute(queue.db);

const empty = async () => {
  await queue.db.deleteFrom('webhook_notifications').execute();
  await sql`vacuum webhook_notifications`.execute(queue.db);
};

/** The number of rows that sequential scans of the table have read so far. */
async function rowsScanned(single: Db): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(single);
  const { rows } = await sql<{ read: number }>`
    select seq_tup_read::float8 as read from pg_stat_user_tables where relname = 'webhook_notifications'`.execute(
    single,
  );
  return rows[0]?.read ?? Number.NaN;
}

test('after a renewal, a statement that was planned for a short queue does not read all of a long one', async () => {
  const floors = createFloors();
  await queue.db.connection().execute(async (single) => {
    const deliver = async () => {
      await move(queue.db, queue.keys);
      const before = await rowsScanned(single);
      const [delivery] = await nextDeliveries({ db: single, floors, log: silent }, await claimDue(queue.db));
      if (!delivery) throw new Error('nothing was claimed');
      await recordResults(single, [acknowledged(delivery)], floors);
      return (await rowsScanned(single)) - before;
    };
    // PostgreSQL keeps a generic plan from the sixth execution on.
    for (let time = 0; time < 6; time += 1) await deliver();
    await fill();
    expect(await deliver()).toBeGreaterThanOrEqual(WAITING);
    await createPlanRenewal(queue.db)();
    expect(await deliver()).toBe(0);
  });
});

test('statistics are renewed only when a table has doubled in size', async () => {
  const renew = createPlanRenewal(queue.db);
  expect(await renew()).toBe(0);
  await fill();
  expect([await renew(), await renew()]).toEqual([1, 0]);
  await fill();
  expect([await renew(), await renew()]).toEqual([1, 0]);
  await empty();
  expect(await renew()).toBe(0);
  await fill();
  expect([await renew(), await renew()]).toEqual([1, 0]);
});
