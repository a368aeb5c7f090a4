import { type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '../base/clock.js';
import { conflict, invalidField } from '../base/errors.js';
import { isId, newId } from '../base/ids.js';
import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import { oweUnsent } from '../endpoints/debts.js';
import { endpointDisabled, lockEndpoint } from '../endpoints/endpoints.js';
import { REQUEST_LANE } from '../endpoints/own-lanes.js';
import { type Delivery, getDelivery } from './delivery-queries.js';

/** The deliveries to send again: those created at `from` or later and before `to`, or all dead letters. */
export type ReplaySelection = { from: Date; to: Date } | 'dead-letters';

/**
 * Selects deliveries of a range. Throws VALIDATION_ERROR if it ends before it begins, or has more than `maxDays` days.
 */
export function replayRange(from: Date, to: Date, maxDays = Number.POSITIVE_INFINITY): ReplaySelection {
  if (to <= from) throw invalidField('to', 'contradiction', 'must be later than from');
  if (to.getTime() - from.getTime() > maxDays * DAY_MS)
    throw invalidField('to', 'too_late', `must be at most ${maxDays} days after from`);
  return { from, to };
}

export interface ReplayOptions {
  /** With more bodies than this, the replay is refused. */
  maxBodies?: number;
}

/**
 * Queues the selected deliveries of an endpoint, oldest first, and returns their number. Waiting deliveries and tests
 * are left out. Workers also make bodies of movements in the range that were recorded while the endpoint was disabled.
 * Throws NOT_FOUND, and CONFLICT while it is disabled. Model: Replays!Queue (lab/models)
 */
export async function replayDeliveries(
  db: Db,
  endpointId: string,
  selection: ReplaySelection,
  { maxBodies }: ReplayOptions = {},
): Promise<number> {
  const condition =
    selection === 'dead-letters'
      ? sql`delivery.dead_at is not null`
      : sql`delivery.created_at >= ${selection.from} and delivery.created_at < ${selection.to} and body is not null`;
  return transaction(db, async (trx) => {
    await lockActive(trx, endpointId);
    if (maxBodies !== undefined) await demandFew(trx, endpointId, condition, maxBodies);
    if (selection !== 'dead-letters') await oweUnsent(trx, endpointId, selection);
    return queueAgain(trx, endpointId, condition);
  });
}

async function demandFew(trx: Db, endpointId: string, condition: RawBuilder<unknown>, max: number): Promise<void> {
  const { rows } = await sql`
    select from webhook_deliveries delivery where delivery.endpoint_id = ${endpointId} and ${condition}
    limit ${max + 1}`.execute(trx);
  if (rows.length > max) throw invalidField('to', 'too_many', `must name at most ${max} bodies`);
}

/** Queues a new body of movements that were never sent. It is a dead letter until the receiver acknowledges it. */
export async function queueNewBody(trx: Db, endpointId: string, body: { body: Buffer; packageCount: number }) {
  const webhookId = newId();
  await sql`
    insert into webhook_deliveries (webhook_id, endpoint_id, lane_id, kind, package_count, body, dead_at)
    select ${webhookId}, endpoint_id, id, 'tracking', ${body.packageCount}::integer, ${body.body}, now() from webhook_lanes
    where endpoint_id = ${endpointId} and number = ${REQUEST_LANE}`.execute(trx);
  await queueInserted(trx, webhookId);
  await wakeRequestLane(trx, endpointId);
}

const queueInserted = (trx: Db, webhookId: string) =>
  sql`
    insert into webhook_requests (lane_id, webhook_id)
    select lane_id, webhook_id from webhook_deliveries where webhook_id = ${webhookId}`.execute(trx);

/**
 * Queues one delivery. Throws NOT_FOUND. Throws CONFLICT for a test, for a waiting delivery, and for a disabled
 * endpoint.
 */
export async function replayDelivery(db: Db, webhookId: string): Promise<Delivery> {
  return transaction(db, async (trx) => {
    const { endpointId, kind } = await getDelivery(trx, webhookId);
    if (kind === 'test') throw conflict('delivery_not_repeatable', 'A test is not sent again; send another one.');
    await lockActive(trx, endpointId);
    const { state } = await getDelivery(trx, webhookId);
    if (state === 'waiting') throw conflict('delivery_waiting', 'The delivery waits to be sent.');
    await queueAgain(trx, endpointId, sql`delivery.webhook_id = ${webhookId}`);
    return getDelivery(trx, webhookId);
  });
}

/**
 * Queues deliveries for a new run. All attempts so far count as earlier ones. The rows are locked first, so that upkeep
 * does not remove them meanwhile. Model: Replays!Lock (lab/models)
 */
async function queueAgain(trx: Db, endpointId: string, condition: RawBuilder<unknown>): Promise<number> {
  const queued = await sql`
    with queued as (
      insert into webhook_requests (lane_id, webhook_id)
      select request_lane.id, delivery.webhook_id from webhook_deliveries delivery
      join webhook_lanes request_lane on request_lane.endpoint_id = delivery.endpoint_id and number = ${REQUEST_LANE}
      left join webhook_lanes lane on lane.id = delivery.lane_id and lane.webhook_id = delivery.webhook_id
      where delivery.endpoint_id = ${endpointId} and lane.id is null and kind = 'tracking' and ${condition}
      order by delivery.created_at, delivery.webhook_id
      for key share of delivery
      on conflict (webhook_id) do nothing
      returning webhook_id
    )
    update webhook_deliveries delivery set attempts_before = (
      select count(*) from webhook_attempts attempt where attempt.webhook_id = delivery.webhook_id
    ) where delivery.webhook_id in (select webhook_id from queued)`.execute(trx);
  await wakeRequestLane(trx, endpointId);
  return Number(queued.numAffectedRows ?? 0);
}

/**
 * Queues a test delivery with one sample package. Throws NOT_FOUND, and CONFLICT while the endpoint is disabled.
 * Model: Replays!Test (lab/models)
 */
export async function testEndpoint(db: Db, endpointId: string): Promise<Delivery> {
  return transaction(db, async (trx) => {
    await lockActive(trx, endpointId);
    const webhookId = newId();
    await sql`
      insert into webhook_deliveries (webhook_id, endpoint_id, lane_id, kind, package_count)
      select ${webhookId}, endpoint_id, id, 'test', 1 from webhook_lanes
      where endpoint_id = ${endpointId} and number = ${REQUEST_LANE}`.execute(trx);
    await queueInserted(trx, webhookId);
    await wakeRequestLane(trx, endpointId);
    return getDelivery(trx, webhookId);
  });
}

async function wakeRequestLane(db: Db, endpointId: string): Promise<void> {
  await sql`
    update webhook_lanes set state = 'ready', due_at = clock_timestamp() where id in (
      select id from webhook_lanes
      where endpoint_id = ${endpointId} and number = ${REQUEST_LANE} and state = 'idle' for update skip locked
    )`.execute(db);
}

/**
 * Locks an active endpoint. So two operators cannot queue one delivery at once, and the endpoint cannot be deleted
 * meanwhile.
 */
async function lockActive(db: Db, endpointId: string): Promise<void> {
  const { disabled_at } = await lockEndpoint(db, endpointId);
  if (disabled_at) throw endpointDisabled();
}

export type SendNowSelection = { endpointId: string } | { accountId: string } | 'all';

const MAX_AT_ONCE = 1_000;
const APART_MS = 10;

/**
 * Makes waiting deliveries due now, 10 ms apart, in the order of their due times. Deliveries due soon anyway and those
 * of disabled endpoints are left out. The next pause still depends on all attempts so far. Throws VALIDATION_ERROR,
 * CONFLICT.
 */
export async function sendNow(db: Db, selection: SendNowSelection) {
  const condition = await conditionOf(db, selection);
  const { rows } = await sql<{ bodies: number; notifications: number }>`
    with waiting as (
      select lane.id, lane.webhook_id, lane.due_at from webhook_lanes lane
      where state = 'waiting' and attempt > 0 and ${condition} and exists (
        select 1 from webhook_endpoints where id = lane.endpoint_id and disabled_at is null and deleted_at is null)
      order by due_at limit ${MAX_AT_ONCE} for update of lane skip locked
    ), put_forward as (
      update webhook_lanes lane set due_at = least(lane.due_at,
        now() + place * ${APART_MS}::double precision * interval '1 millisecond')
      from (select id, row_number() over (order by due_at, id) - 1 as place from waiting) numbered
      where lane.id = numbered.id and lane.id = any(array(select id from waiting))
      returning lane.webhook_id
    )
    select count(*)::integer as bodies, coalesce(sum(package_count), 0)::integer as notifications
    from put_forward left join webhook_deliveries delivery on delivery.webhook_id = put_forward.webhook_id`.execute(db);
  const { bodies = 0, notifications = 0 } = rows[0] ?? {};
  // If there are more than one call takes, the rest needs another call.
  return { bodies, notifications, more: bodies === MAX_AT_ONCE };
}

async function conditionOf(db: Db, selection: SendNowSelection) {
  const later = sql`due_at > now() + ${MAX_AT_ONCE * APART_MS}::double precision * interval '1 millisecond'`;
  if (selection === 'all') return later;
  if ('endpointId' in selection) {
    await demandActive(db, selection.endpointId);
    return sql`due_at > now() and lane.endpoint_id = ${selection.endpointId}`;
  }
  await demandAccount(db, selection.accountId);
  return sql`${later} and lane.endpoint_id = any(array(
    select id from webhook_endpoints where account_id = ${selection.accountId} and deleted_at is null))`;
}

async function demandActive(db: Db, id: string): Promise<void> {
  const { rows } = await sql<{ disabled_at: Date | null }>`
    select disabled_at from webhook_endpoints
    where id = ${isId(id) ? id : null}::uuid and deleted_at is null`.execute(db);
  if (!rows[0]) throw invalidField('endpointId', 'not_found', 'is not a webhook endpoint');
  if (rows[0].disabled_at) throw endpointDisabled();
}

async function demandAccount(db: Db, id: string): Promise<void> {
  const { rows } = await sql`
    select from accounts where id = ${isId(id) ? id : null}::uuid and deleted_at is null`.execute(db);
  if (!rows[0]) throw invalidField('userId', 'not_found', 'is not a user');
}
