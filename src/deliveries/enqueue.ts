import { sql } from 'kysely';
import type { Db } from '../db/connect.js';

/** A recorded movement: the `seq`-th of its package. */
export interface Moved {
  movementId: string;
  accountId: string;
  loggiKey: string;
  seq: number;
}

/**
 * Writes one notification for each movement and active endpoint of its account, and makes their lanes ready. Call it
 * inside the movement's transaction, under the locks of the packages' rows: then, for each package, ids grow in the
 * order of `seq`, which is what the order of deliveries rests on.
 *
 * It never waits for a sender: a lane that another transaction holds is skipped, and whoever holds it, or the sweep,
 * finds the notification. The key-share lock makes it wait only for a change of the endpoint's lanes, or its end.
 */
export async function enqueueNotifications(db: Db, moved: readonly Moved[]): Promise<void> {
  if (moved.length === 0) return;
  const accounts = moved.map((each) => each.accountId);
  const keys = moved.map((each) => each.loggiKey);
  const seqs = moved.map((each) => each.seq);
  await sql`
    with endpoint as materialized (
      select id, account_id, generation, lane_count from webhook_endpoints
      where account_id = any(${[...new Set(accounts)]}::uuid[]) and disabled_at is null and deleted_at is null
      for key share
    ), lane as materialized (
      select id, endpoint_id, generation, number from webhook_lanes
      where endpoint_id = any(array(select id from endpoint))
    ), enqueued as (
      insert into webhook_notifications (lane_id, loggi_key, seq)
      select lane.id, moved.loggi_key, moved.seq
      from unnest(${accounts}::uuid[], ${keys}::uuid[], ${seqs}::integer[]) as moved (account_id, loggi_key, seq)
      join endpoint on endpoint.account_id = moved.account_id
      join lane on lane.endpoint_id = endpoint.id and lane.generation = endpoint.generation
        and lane.number = ('x' || right(moved.loggi_key::text, 4))::bit(16)::integer % endpoint.lane_count
      order by moved.loggi_key, moved.seq
      returning lane_id
    ), asleep as (
      select id from webhook_lanes
      where id = any(array(select distinct lane_id from enqueued)) and state = 'idle'
      for update skip locked
    )
    update webhook_lanes set state = 'ready', due_at = clock_timestamp()
    where id = any(array(select id from asleep))`.execute(db);
}
