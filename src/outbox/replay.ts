import { sql } from 'kysely';
import { conflict } from '../base/errors.js';
import { newId } from '../base/ids.js';
import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import { type Delivery, getDelivery } from './delivery-queries.js';
import { endpointDisabled, lockEndpoint } from './endpoints.js';
import { REQUEST_LANE } from './lanes.js';

/** Deliveries to send again: those created at `from` or later and before `to`, or the dead letters. */
export type ReplaySelection = { from: Date; to: Date } | 'dead-letters';

/**
 * Queues deliveries of an endpoint, oldest first, except waiting ones and tests; returns their number. Throws
 * NOT_FOUND; CONFLICT while the endpoint is disabled.
 */
export async function replayDeliveries(db: Db, endpointId: string, selection: ReplaySelection): Promise<number> {
  return transaction(db, async (trx) => {
    await lockActive(trx, endpointId);
    const condition =
      selection === 'dead-letters'
        ? sql`delivery.dead_at is not null`
        : sql`delivery.created_at >= ${selection.from} and delivery.created_at < ${selection.to} and body is not null`;
    const queued = await sql`
      with queued as (
      insert into webhook_requests (lane_id, webhook_id)
      select request_lane.id, delivery.webhook_id from webhook_deliveries delivery
      join webhook_lanes request_lane on request_lane.endpoint_id = delivery.endpoint_id and number = ${REQUEST_LANE}
      left join webhook_lanes lane on lane.id = delivery.lane_id and lane.webhook_id = delivery.webhook_id
      where delivery.endpoint_id = ${endpointId} and lane.id is null and kind = 'tracking' and ${condition}
      order by delivery.created_at, delivery.webhook_id
      on conflict (webhook_id) do nothing
      returning webhook_id
      )
      ${recount} where delivery.webhook_id in (select webhook_id from queued)`.execute(trx);
    await wakeRequestLane(trx, endpointId);
    return Number(queued.numAffectedRows ?? 0);
  });
}

/** Queues one delivery. Throws NOT_FOUND; CONFLICT for a test, and while it waits or its endpoint is disabled. */
export async function replayDelivery(db: Db, webhookId: string): Promise<Delivery> {
  return transaction(db, async (trx) => {
    const { endpointId, kind } = await getDelivery(trx, webhookId);
    if (kind === 'test') throw conflict('A test is not sent again; send another one.');
    await lockActive(trx, endpointId);
    const { state } = await getDelivery(trx, webhookId);
    if (state === 'waiting') throw conflict('The delivery waits to be sent.');
    await queue(trx, endpointId, webhookId);
    await sql`${recount} where delivery.webhook_id = ${webhookId}`.execute(trx);
    return getDelivery(trx, webhookId);
  });
}

/** Begins a new run: all attempts so far come before it. */
const recount = sql`
  update webhook_deliveries delivery set attempts_before = (
    select count(*) from webhook_attempts attempt where attempt.webhook_id = delivery.webhook_id
  )`;

/** Queues a delivery with one sample package. Throws NOT_FOUND; CONFLICT while the endpoint is disabled. */
export async function testEndpoint(db: Db, endpointId: string): Promise<Delivery> {
  return transaction(db, async (trx) => {
    await lockActive(trx, endpointId);
    const webhookId = newId();
    await sql`
      insert into webhook_deliveries (webhook_id, endpoint_id, lane_id, kind, package_count)
      select ${webhookId}, endpoint_id, id, 'test', 1 from webhook_lanes
      where endpoint_id = ${endpointId} and number = ${REQUEST_LANE}`.execute(trx);
    await queue(trx, endpointId, webhookId);
    return getDelivery(trx, webhookId);
  });
}

async function queue(db: Db, endpointId: string, webhookId: string): Promise<void> {
  await sql`
    insert into webhook_requests (lane_id, webhook_id)
    select id, ${webhookId} from webhook_lanes where endpoint_id = ${endpointId} and number = ${REQUEST_LANE}
    on conflict (webhook_id) do nothing`.execute(db);
  await wakeRequestLane(db, endpointId);
}

async function wakeRequestLane(db: Db, endpointId: string): Promise<void> {
  await sql`
    update webhook_lanes set state = 'ready', due_at = clock_timestamp() where id in (
      select id from webhook_lanes
      where endpoint_id = ${endpointId} and number = ${REQUEST_LANE} and state = 'idle' for update skip locked
    )`.execute(db);
}

/** The lock keeps two operators from queueing one delivery at once, and the endpoint from being deleted meanwhile. */
async function lockActive(db: Db, endpointId: string): Promise<void> {
  const { disabled_at } = await lockEndpoint(db, endpointId);
  if (disabled_at) throw endpointDisabled();
}
