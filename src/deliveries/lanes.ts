import { sql } from 'kysely';
import type { Db } from '../db/connect.js';

/** The lane that carries what the operator asked for, so that a replay never stands in the way of a new movement. */
export const REQUEST_LANE = -1;

/**
 * The first lanes of an endpoint: one for the operator's requests and `count` for notifications. Its receiver has not been
 * asked yet, so they begin among the slow ones.
 */
export async function createLanes(db: Db, endpointId: string, count: number): Promise<void> {
  await sql`
    insert into webhook_lanes (endpoint_id, generation, number, state, slow_account_id)
    select endpoint.id, 1, number, 'idle', account_id
    from webhook_endpoints endpoint, generate_series(${REQUEST_LANE}::integer, ${count}::integer - 1) as number
    where endpoint.id = ${endpointId}`.execute(db);
}

/**
 * Gives an endpoint other lanes. The caller holds the endpoint's row by FOR UPDATE, so no enqueuer is between reading
 * the generation and its commit. The new lanes are held until the older ones are empty: no package overtakes itself.
 */
export async function replaceLanes(db: Db, endpointId: string, count: number): Promise<void> {
  await sql`
    with endpoint as (
      update webhook_endpoints set lane_count = ${count}, generation = generation + 1 where id = ${endpointId}
      returning id, generation, account_id
    )
    insert into webhook_lanes (endpoint_id, generation, number, state, slow_account_id)
    select endpoint.id, endpoint.generation, number, 'held', account_id
    from endpoint, generate_series(0, ${count}::integer - 1) as number`.execute(db);
}

/** Lets held lanes go where nothing older is left, and drops the older ones. Answers how many were let go. */
export async function releaseHeldLanes(db: Db): Promise<number> {
  const released = await sql`
    with held as (
      select endpoint_id, min(generation) as generation from webhook_lanes where state = 'held' group by endpoint_id
    ), empty as (
      select held.* from held where not exists (
        select 1 from webhook_lanes older
        where older.endpoint_id = held.endpoint_id and older.generation < held.generation and older.number >= 0
          and (older.webhook_id is not null or older.state = 'leased'
            or (select true from webhook_notifications where lane_id = older.id order by lane_id, id limit 1))
      )
    ), dropped as (
      delete from webhook_lanes older using empty
      where older.endpoint_id = empty.endpoint_id and older.generation < empty.generation and older.number >= 0
    )
    update webhook_lanes lane set state = 'ready', due_at = clock_timestamp() from empty
    where lane.endpoint_id = empty.endpoint_id and lane.generation = empty.generation and lane.state = 'held'`.execute(
    db,
  );
  return Number(released.numAffectedRows ?? 0);
}
