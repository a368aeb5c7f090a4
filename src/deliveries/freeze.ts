import { sql } from 'kysely';
import type { Db } from '../db/connect.js';
import type { DeliveryKind } from '../db/tables-deliveries.js';

/** A notification that waits in a lane: the `seq`-th movement of a package. */
export interface Waiting {
  laneId: number;
  id: string;
  loggiKey: string;
  seq: number;
}

export const MAX_PACKAGES = 50;

// Successive movements of one package travel in successive bodies, so more rows may be looked at than a body holds.
const WINDOW = 4 * MAX_PACKAGES;

/** The members of the next body, by lane; lanes in which nothing waits are left out. */
export async function nextMembers(db: Db, laneIds: readonly number[]): Promise<Map<number, Waiting[]>> {
  const head = await oldestWaiting(db, laneIds, MAX_PACKAGES);
  const members = chooseMembers(head);
  const rows = new Map<number, number>();
  for (const { laneId } of head) rows.set(laneId, (rows.get(laneId) ?? 0) + 1);
  // A package that moved several times takes several rows: only then may more packages stand behind the first rows.
  const short = laneIds.filter((id) => rows.get(id) === MAX_PACKAGES && members.get(id)?.length !== MAX_PACKAGES);
  if (short.length === 0) return members;
  return new Map([...members, ...chooseMembers(await oldestWaiting(db, short, WINDOW))]);
}

/** The oldest notifications of each lane, in the order of their lane. */
async function oldestWaiting(db: Db, laneIds: readonly number[], most: number): Promise<Waiting[]> {
  const { rows } = await sql<{ lane_id: number; id: string; loggi_key: string; seq: number }>`
    select waiting.* from unnest(${laneIds}::integer[]) as lane (id) cross join lateral (
      select lane_id, id, loggi_key, seq from webhook_notifications
      where lane_id = lane.id order by lane_id, id limit ${most}
    ) waiting`.execute(db);
  return rows.map(({ lane_id, id, loggi_key, seq }) => ({ laneId: lane_id, id, loggiKey: loggi_key, seq }));
}

/**
 * The members of the next body, by lane: of each package the oldest notification, of at most 50 packages. Within a
 * package the oldest is the one with the smallest id, as ids are drawn under the lock of the package's row.
 */
export function chooseMembers(waiting: readonly Waiting[]): Map<number, Waiting[]> {
  const lanes = new Map<number, Map<string, Waiting>>();
  for (const each of waiting) {
    const packages = lanes.get(each.laneId) ?? new Map<string, Waiting>();
    lanes.set(each.laneId, packages);
    if (packages.size < MAX_PACKAGES && !packages.has(each.loggiKey)) packages.set(each.loggiKey, each);
  }
  return new Map([...lanes].map(([laneId, packages]) => [laneId, [...packages.values()]]));
}

export interface NewBody {
  laneId: number;
  claimId: string;
  endpointId: string;
  webhookId: string;
  /** Ids of the notifications that it tells of. */
  members: readonly string[];
  body: Buffer;
}

/**
 * Writes bodies, each as what its lane carries from now on, until it is acknowledged or given up: whoever sends for the
 * lane sends these bytes under this id. Answers the ids of those written; the others' lanes are no longer the caller's.
 */
export async function freezeBodies(db: Db, bodies: readonly NewBody[]): Promise<Set<string>> {
  // One binary value for all bodies: as an array of values each would be spelled out in hexadecimal and escaped.
  const bytes = Buffer.concat(bodies.map(({ body }) => body));
  const { rows } = await sql<{ webhook_id: string }>`
    with given as (
      select *, sum(length) over (order by place) - length + 1 as start from unnest(
        ${bodies.map((each) => each.laneId)}::integer[], ${bodies.map((each) => each.claimId)}::uuid[],
        ${bodies.map((each) => each.endpointId)}::uuid[], ${bodies.map((each) => each.webhookId)}::uuid[],
        ${bodies.map((each) => `{${each.members.join()}}`)}::text[], ${bodies.map((each) => each.members.length)}::smallint[],
        ${bodies.map(({ body }) => body.length)}::integer[]
      ) with ordinality as given (lane_id, claim_id, endpoint_id, webhook_id, members, package_count, length, place)
    ), owned as (
      update webhook_lanes lane set webhook_id = given.webhook_id from given
      where lane.id = given.lane_id and lane.claim_id = given.claim_id and lane.webhook_id is null
        and lane.id = any(${bodies.map((each) => each.laneId)}::integer[])
      returning given.*
    )
    insert into webhook_deliveries (webhook_id, endpoint_id, lane_id, kind, members, package_count, body)
    select webhook_id, endpoint_id, lane_id, 'tracking', members::bigint[], package_count,
      substr(${bytes}::bytea, start::integer, length)
    from owned
    returning webhook_id`.execute(db);
  return new Set(rows.map((row) => row.webhook_id));
}

/** What the operator asked to be sent: a replay has a body, a test that was never sent has none. */
export interface Request {
  laneId: number;
  webhookId: string;
  kind: DeliveryKind;
  body: Buffer | null;
  attemptsBefore: number;
}

/** The oldest request of each lane. */
export async function oldestRequests(db: Db, laneIds: readonly number[]): Promise<Request[]> {
  const { rows } = await sql<Request>`
    select request.lane_id as "laneId", delivery.webhook_id as "webhookId", kind, body,
      attempts_before as "attemptsBefore"
    from unnest(${laneIds}::integer[]) as lane (id) cross join lateral (
      select lane_id, webhook_id from webhook_requests where lane_id = lane.id order by lane_id, id limit 1
    ) request join webhook_deliveries delivery on delivery.webhook_id = request.webhook_id`.execute(db);
  return rows;
}

/** Makes a request what its lane carries, and gives a test its body. False when the lane is no longer the caller's. */
export async function carryRequest(
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
