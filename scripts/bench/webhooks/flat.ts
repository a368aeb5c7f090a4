import { sql } from 'kysely';
import { judge, ratios } from '../../../test/support/figures.js';
import { enqueueAll, seed } from '../../../test/support/processes/seed.js';
import { cost, counted } from './counted.js';
import { type Stage, until } from './stage.js';

const GOAL = 1.5;
const ROUNDS = 3;

/** The same deliveries with little and with a million rows of history and of backlog. */
export async function flat(stage: Stage): Promise<boolean> {
  const [blocked = '', ...others] = stage.urls;
  await seed(stage.db, stage.ring, { urls: others, packages: 1, movements: 9 });
  await deliveries(stage);
  const small: number[] = [];
  const large: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) small.push(await deliveries(stage));
  await pileUp(stage, blocked);
  for (let round = 0; round < ROUNDS; round += 1) large.push(await deliveries(stage));
  return judge('flat: cost of 1 million rows of backlog and of history', ratios(small, large), GOAL, 'below');
}

async function deliveries(stage: Stage): Promise<number> {
  const total = await enqueueAll(stage.db, 2);
  const { sender, count, stop } = counted(stage);
  sender.start();
  const { took, cpu } = await cost(() => until(() => count.bodies >= total));
  await stop();
  console.log(`  ${(total / took).toFixed(0)} deliveries/s, ${(cpu / total).toFixed(0)} µs of the sender's CPU each`);
  return total / took;
}

async function pileUp({ db, ring }: Stage, url: string): Promise<void> {
  // Its package has no movement that a round would enqueue, as what waits in its lane is never sent.
  await seed(db, ring, { urls: [url], packages: 1, movements: 1 });
  await sql`
    insert into webhook_notifications (lane_id, loggi_key, seq)
    select lane.id, gen_random_uuid(), 1 from webhook_lanes lane join webhook_endpoints endpoint on endpoint.id = endpoint_id,
      generate_series(1, 1000000) where url = ${url} and number = 0`.execute(db);
  await sql`
    update webhook_lanes set state = 'waiting', attempt = 1, due_at = now() + interval '1 day' where endpoint_id = (
      select id from webhook_endpoints where url = ${url}) and number = 0`.execute(db);
  await sql`
    insert into webhook_deliveries (webhook_id, endpoint_id, lane_id, kind, package_count, body)
    select gen_random_uuid(), endpoint_id, id, 'tracking', 1, decode(repeat('7b7d', 300), 'hex')
    from (select *, row_number() over () as place from webhook_lanes where number = 0) lane
    join generate_series(1, 1000000) as copy on copy % 999 + 1 = place`.execute(db);
  await sql`
    insert into webhook_attempts (webhook_id, endpoint_id, number, replay, attempted_at, duration_ms, outcome, lease_lost)
    select webhook_id, endpoint_id, 1, false, now(), 5, 'acknowledged', false from webhook_deliveries`.execute(db);
  await db.connection().execute(async (connection) => {
    // The server's own vacuum may be at work on the same tables.
    await sql`set lock_timeout = 0`.execute(connection);
    await sql`vacuum analyze`.execute(connection);
    await sql`reset lock_timeout`.execute(connection);
  });
}
