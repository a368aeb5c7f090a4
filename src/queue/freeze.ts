import { sql } from 'kysely';
import type { TraceParent } from '../base/telemetry/tracing.js';
import type { Db } from '../db/connect.js';
import type { DeliveryKind } from '../db/tables/deliveries.js';
import { type Floors, type FloorsNow, floorOf, type Moment, thisMoment } from './floors.js';
import { newestLane } from './lanes.js';

/** A waiting notification of the `seq`-th movement of a package. */
export interface WaitingNotification {
  laneId: number;
  id: string;
  loggiKey: string;
  seq: number;
  traceparent: TraceParent | null;
}

const MAX_PACKAGES = 50;

// Maximum rows to read for a delivery. A package with several movements has several rows, but a delivery takes only one
// of them.
const WINDOW = 4 * MAX_PACKAGES;

/**
 * Reads the notifications of the next delivery, by lane. Empty lanes are left out. Model: Lanes!Choose, Floors!ReadLane
 * (lab/models)
 */
export async function nextNotifications(
  db: Db,
  laneIds: readonly number[],
  floors: Floors,
): Promise<Map<number, WaitingNotification[]>> {
  const floorsNow = floors.now();
  const head = await oldestWaiting(db, laneIds, MAX_PACKAGES, floorsNow);
  floorsNow.read(laneIds, head);
  const notifications = chooseNotifications(head);
  const counts = new Map<number, number>();
  for (const { laneId } of head) counts.set(laneId, (counts.get(laneId) ?? 0) + 1);
  // Only if a package fills several rows may other packages come after the first rows.
  const short = laneIds.filter(
    (id) => counts.get(id) === MAX_PACKAGES && notifications.get(id)?.length !== MAX_PACKAGES,
  );
  if (short.length === 0) return notifications;
  return new Map([...notifications, ...chooseNotifications(await oldestWaiting(db, short, WINDOW, floorsNow))]);
}

async function oldestWaiting(db: Db, laneIds: readonly number[], max: number, floorsNow: FloorsNow) {
  const { rows } = await sql<WaitingNotification>`
    select waiting.* from unnest(${laneIds}::integer[], ${laneIds.map(floorsNow.of)}::bigint[]) as lane (id, floor) cross join lateral (
      select lane_id as "laneId", id, loggi_key as "loggiKey", seq, traceparent from webhook_notifications
      where lane_id = lane.id and id >= ${floorOf(floorsNow, 'lane.floor')}
      order by lane_id, id limit ${max}
    ) waiting`.execute(db);
  return rows;
}

/**
 * Chooses the oldest notification of each package, by lane and for at most 50 packages. The oldest has the smallest id.
 */
function chooseNotifications(waiting: readonly WaitingNotification[]): Map<number, WaitingNotification[]> {
  const lanes = new Map<number, Map<string, WaitingNotification>>();
  for (const each of waiting) {
    const packages = lanes.get(each.laneId) ?? new Map<string, WaitingNotification>();
    lanes.set(each.laneId, packages);
    if (packages.size < MAX_PACKAGES && !packages.has(each.loggiKey)) packages.set(each.loggiKey, each);
  }
  return new Map([...lanes].map(([laneId, packages]) => [laneId, [...packages.values()]]));
}

export interface NewDelivery {
  laneId: number;
  claimId: string;
  endpointId: string;
  webhookId: string;
  notificationIds: readonly string[];
  /** The traces of the notifications, each once. Every attempt belongs to them. */
  traceparents: readonly TraceParent[];
  body: Buffer;
}

/**
 * Writes the deliveries of lanes. Until the acknowledgement or the dead letter, every worker sends exactly these bytes
 * under this id. Returns the ids of written deliveries; the caller has lost the lanes of the others.
 * Model: Lanes!Freeze, Erasure!Write (lab/models)
 */
export async function freezeDeliveries(
  db: Db,
  deliveries: readonly NewDelivery[],
  floors: Floors,
): Promise<Set<string>> {
  const floorsNow = floors.now();
  // One binary value holds all bodies. In an array, each body would be sent in hexadecimal and escaped.
  const bytes = Buffer.concat(deliveries.map(({ body }) => body));
  const { rows } = await sql<Moment & { webhook_id: string }>`
    with delivery as (
      select *, sum(length) over (order by place) - length + 1 as start from unnest(
        ${deliveries.map((each) => each.laneId)}::integer[], ${deliveries.map((each) => each.claimId)}::uuid[],
        ${deliveries.map((each) => each.endpointId)}::uuid[], ${deliveries.map((each) => each.webhookId)}::uuid[],
        ${deliveries.map((each) => `{${each.notificationIds.join()}}`)}::text[], ${deliveries.map((each) => each.notificationIds.length)}::smallint[],
        ${deliveries.map(({ body }) => body.length)}::integer[], ${deliveries.map(traceList)}::text[]
      ) with ordinality as delivery (lane_id, claim_id, endpoint_id, webhook_id, members, package_count, length, traceparents, place)
    ), leased as (
      select delivery.*, at from delivery cross join lateral (${newestLane('delivery.lane_id')}) lane
      where lane.id = delivery.lane_id and lane.claim_id = delivery.claim_id
    ), owned as (
      update webhook_lanes lane set webhook_id = leased.webhook_id from leased
      where lane.ctid = leased.at and lane.ctid = any(array(select at from leased))
        and lane.claim_id = leased.claim_id and lane.webhook_id is null
      returning leased.*
    )
    insert into webhook_deliveries (webhook_id, endpoint_id, lane_id, kind, members, package_count, body, traceparents)
    select webhook_id, endpoint_id, lane_id, 'tracking', members::bigint[], package_count,
      substr(${bytes}::bytea, start::integer, length), traceparents::text[]
    from owned
    returning webhook_id, ${thisMoment}`.execute(db);
  if (rows[0]) floorsNow.froze(rows[0]);
  return new Set(rows.map((row) => row.webhook_id));
}

/** Writes a PostgreSQL array. Trace contexts need no quotes. */
const traceList = ({ traceparents }: NewDelivery): string | null =>
  traceparents.length > 0 ? `{${traceparents.join()}}` : null;

/** A replay or a test that the operator requested. A test gets its body when it is first sent. */
export interface OperatorRequest {
  laneId: number;
  webhookId: string;
  kind: DeliveryKind;
  body: Buffer | null;
  attemptsBefore: number;
  traceparents: TraceParent[] | null;
}

export async function oldestOperatorRequests(db: Db, laneIds: readonly number[]): Promise<OperatorRequest[]> {
  const { rows } = await sql<OperatorRequest>`
    select request.lane_id as "laneId", delivery.webhook_id as "webhookId", kind, body,
      attempts_before as "attemptsBefore", traceparents
    from unnest(${laneIds}::integer[]) as lane (id) cross join lateral (
      select lane_id, webhook_id from webhook_requests where lane_id = lane.id order by lane_id, id limit 1
    ) request join webhook_deliveries delivery on delivery.webhook_id = request.webhook_id`.execute(db);
  return rows;
}

/**
 * Puts the operator's request into the lane, and writes the body of a test. False if the lease is lost.
 * Model: Replays!Carry (lab/models)
 */
export async function carryOperatorRequest(
  db: Db,
  { laneId, claimId }: { laneId: number; claimId: string },
  { webhookId, body }: { webhookId: string; body: Buffer },
): Promise<boolean> {
  const { rows } = await sql`
    with owned as (
      update webhook_lanes set webhook_id = ${webhookId}
      where id = ${laneId} and claim_id = ${claimId} and webhook_id is null
      returning id
    ), written as (
      update webhook_deliveries set body = ${body}
      where webhook_id = ${webhookId} and body is null and exists (select 1 from owned)
    )
    select id from owned`.execute(db);
  return rows.length > 0;
}
