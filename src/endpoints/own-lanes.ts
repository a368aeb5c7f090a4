import { sql } from 'kysely';
import type { Db } from '../db/connect.js';

/** The number of the lane for the operator's replays and tests. They never delay a new movement. */
export const REQUEST_LANE = -1;

export async function createLanes(db: Db, endpointId: string, count: number): Promise<void> {
  await sql`
    insert into webhook_lanes (endpoint_id, generation, number, state, slow_account_id)
    select endpoint.id, 1, number, 'idle', account_id
    from webhook_endpoints endpoint, generate_series(${REQUEST_LANE}::integer, ${count}::integer - 1) as number
    where endpoint.id = ${endpointId}`.execute(db);
}

/**
 * Gives an endpoint new lanes. They are held until the older lanes are empty, to keep the order of each package. The
 * caller must hold the endpoint's row FOR UPDATE, so that no enqueuer is between reading the generation and its commit.
 * Model: Lanes!ReplaceLanes (lab/models)
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

/** Makes waiting and stopped lanes due at once, with a fresh schedule. */
export async function restartLanes(db: Db, endpointId: string): Promise<void> {
  await sql`
    with restarted as (
      update webhook_lanes lane set state = 'ready', due_at = clock_timestamp(), attempt = 0 from webhook_lanes before
      where lane.endpoint_id = ${endpointId} and lane.state in ('stopped', 'waiting') and before.id = lane.id
      returning lane.webhook_id, before.attempt
    )
    update webhook_deliveries delivery set attempts_before = attempts_before + attempt
    from restarted where delivery.webhook_id = restarted.webhook_id`.execute(db);
}
