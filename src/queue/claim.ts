import { performance } from 'node:perf_hooks';
import { sql } from 'kysely';
import type { TraceParent } from '../base/telemetry/tracing.js';
import type { Db } from '../db/connect.js';
import type { DeliveryKind } from '../db/tables/deliveries.js';
import { REQUEST_LANE } from '../endpoints/own-lanes.js';
import type { SealedSecrets } from '../endpoints/secrets.js';

/**
 * Groups of lanes. Each has its own slots, so that no group uses up the slots of another. `again`: the delivery has
 * failed before. `prompt`: the receiver last answered promptly. `slow`: it did not, or nothing was sent to it yet.
 */
type LaneGroup = 'prompt' | 'slow' | 'again';

/** A leased lane with its endpoint, and its delivery if one is frozen. */
export interface Claim {
  laneId: number;
  accountId: string;
  group: LaneGroup;
  /** The id of the lease. A result is recorded only while the lane still has this id. */
  claimId: string;
  isRequestLane: boolean;
  endpoint: { url: string; username: string } & SealedSecrets;
  /** Attempts in the present run of the delivery. `attemptsBefore` counts those of earlier runs. */
  attempts: number;
  delivery:
    | {
        webhookId: string;
        body: Buffer;
        kind: DeliveryKind;
        attemptsBefore: number;
        traceparents: readonly TraceParent[];
      }
    | undefined;
  claimedAt: Date;
  /** Milliseconds between the time when the lane was due and the claim. */
  lateMs: number;
  /** True if the lane was taken from a worker that did not give it back. */
  takenOver: boolean;
}

export interface ClaimLimits {
  prompt: number;
  slow: SlowLimits;
  again: number;
  leaseMs: number;
}

/** Limits of slow lanes, in which accounts take turns. */
interface SlowLimits {
  lanes: number;
  /** Maximum lanes of one account: `ofAccount` per claim, `ofAccountAtOnce` together with those under way. */
  ofAccount: number;
  ofAccountAtOnce: number;
  underWay: ReadonlyMap<string, number>;
  /** The turn starts with the next account id after this one. */
  after: string;
}

// More accounts than several workers have under way, so that some of these accounts are due.
const MAX_ACCOUNTS = 1_000;

const claimable = sql`state in ('ready', 'leased', 'waiting')`;
const isSlow = sql`${claimable} and attempt = 0 and slow_account_id is not null`;

/**
 * Finds each account with slow lanes by one step in the index. With an equality, the planner could choose another
 * index.
 */
const slowLanes = ({ lanes, ofAccount, ofAccountAtOnce, underWay, after }: SlowLimits) => sql`
    account as (
      select ${after}::uuid as id, false as wrapped, 0 as place where ${lanes}::integer > 0
      union all
      select coalesce(next.id, first.id), wrapped or next.id is null, place + 1
      from account left join lateral (
        select slow_account_id as id from webhook_lanes
        where ${isSlow} and slow_account_id > account.id order by slow_account_id limit 1
      ) next on true left join lateral (
        select slow_account_id as id from webhook_lanes
        where ${isSlow} and next.id is null and not wrapped order by slow_account_id limit 1
      ) first on true
      where account.id is not null and place < ${MAX_ACCOUNTS} and not (wrapped and account.id >= ${after}::uuid)
    ), slow as (
      select lane.* from account
      left join unnest(${[...underWay.keys()]}::uuid[], ${[...underWay.values()]}::integer[]) as held (id, lanes)
        on held.id = account.id
      cross join lateral (
        select id, ctid as at, endpoint_id, state, due_at, 'slow' as "group" from webhook_lanes
        where ${isSlow} and (slow_account_id, due_at) >= (account.id, '-infinity'::timestamptz)
          and (slow_account_id, due_at) <= (account.id, now())
        order by slow_account_id, due_at
        limit least(${ofAccount}::integer, greatest(${ofAccountAtOnce}::integer - coalesce(held.lanes, 0), 0))
        for update skip locked
      ) lane
      where place > 0 and not (wrapped and account.id > ${after}::uuid) limit ${lanes}
    )`;

/** The prompt lanes that are due, longest due first. Model: Lanes!Claim (lab/models) */
const promptLanes = (count: number, from: Date | undefined) => sql`
    prompt as (
      select id, ctid as at, endpoint_id, state, due_at, 'prompt' as "group" from webhook_lanes
      where ${claimable} and attempt = 0 and slow_account_id is null
        and due_at >= ${from ?? '-infinity'}::timestamptz and due_at <= now()
      order by due_at, id limit ${count} for update skip locked
    )`;

/** The lanes whose delivery failed before and is due again. */
const lanesToTryAgain = (count: number) => sql`
    again as (
      select id, ctid as at, endpoint_id, state, due_at, 'again' as "group" from webhook_lanes
      where ${claimable} and attempt > 0 and due_at <= now()
      order by due_at limit ${count} for update skip locked
    )`;

/** Joins each due lane with its endpoint. The endpoint's former secrets count while they are still valid. */
const lanesWithEndpoints = sql`
    target as (
      select due.id, due.at, due."group", due.state = 'leased' as taken_over, clock_timestamp() - due.due_at as late,
        endpoint.disabled_at is null and endpoint.deleted_at is null as active,
        endpoint.id as endpoint_id, account_id, url, username, password_sealed, secret_sealed,
        case when previous_secret_until > now() then previous_secret_sealed end as previous_secret_sealed,
        private_key_sealed,
        case when previous_key_until > now() then previous_private_key_sealed end as previous_private_key_sealed
      from due cross join lateral (select * from webhook_endpoints where id = due.endpoint_id limit 1) endpoint
    )`;

/**
 * Leases the lanes of active endpoints, each with its own claim id, and stops the other lanes. Model: Lanes!BeginStop,
 * Lanes!EndStop, Erasure!Take (lab/models)
 */
const leasing = (leaseMs: number) => sql`
    claimed as (
      update webhook_lanes lane set
        state = case when active then 'leased' else 'stopped' end,
        claim_id = case when active then gen_random_uuid() end,
        due_at = clock_timestamp() + ${leaseMs}::double precision * interval '1 millisecond',
        changes = changes + 1
      from target where lane.ctid = target.at and lane.ctid = any(array(select at from target))
      returning lane.id as lane_id, lane.claim_id, lane.number, lane.attempt, lane.webhook_id, target.*
    )`;

/** The claims, with the frozen delivery of each lane, if any. Model: Replays!Claim (lab/models) */
const claims = sql`
    select claimed.lane_id as "laneId", account_id as "accountId", "group", claim_id as "claimId",
      number = ${sql.lit(REQUEST_LANE)} as "isRequestLane", attempt as attempts, taken_over as "takenOver",
      (extract(epoch from late) * 1000)::double precision as "lateMs", clock_timestamp() as "claimedAt",
      claimed.webhook_id as "webhookId", delivery.body, delivery.kind, attempts_before as "attemptsBefore", traceparents,
      claimed.endpoint_id as id, url, username, password_sealed, secret_sealed, previous_secret_sealed,
      private_key_sealed, previous_private_key_sealed
    from claimed left join lateral (
      select body, kind, attempts_before, traceparents from webhook_deliveries where webhook_id = claimed.webhook_id limit 1
    ) delivery on true
    where active`;

/**
 * Leases due lanes to this worker. In each group, the lanes that are due for longest come first. Lanes of disabled
 * endpoints are stopped instead. Prompt lanes that were due before `promptFrom` are left out.
 */
export async function claimLanes(
  db: Db,
  { prompt, slow, again, leaseMs }: ClaimLimits,
  promptFrom?: Date,
): Promise<Claim[]> {
  const { rows } = await sql<ClaimRow>`
    with recursive ${slowLanes(slow)}, ${promptLanes(prompt, promptFrom)}, ${lanesToTryAgain(again)}, due as (
      select * from prompt union all select * from slow union all select * from again
    ), ${lanesWithEndpoints}, ${leasing(leaseMs)} ${claims}`.execute(db);
  return rows.map(toClaim);
}

// Nearly always longer than the time between a lane's due time and the commit that shows it.
const MARGIN_MS = 250;

const FULL_LOOK_MS = 1_000;

const FULL_LOOK_SHARE = 1 / 20;

/**
 * Claims lanes for one worker. While any snapshot is held, claimed lanes stay in the index. So prompt lanes are read
 * only from the end of the last claim. About once a second all are read, to find late and locked ones.
 */
export function createClaiming(db: Db): (limits: ClaimLimits) => Promise<Claim[]> {
  let promptFrom: Date | undefined;
  let fullLookAt = 0;
  return async (limits) => {
    const startedAt = performance.now();
    const isFull = startedAt >= fullLookAt;
    const claims = await claimLanes(db, limits, isFull ? undefined : promptFrom);
    const endedAt = performance.now();
    if (isFull) fullLookAt = endedAt + Math.max(FULL_LOOK_MS, (endedAt - startedAt) / FULL_LOOK_SHARE);
    const dueAt = claims.filter(({ group }) => group === 'prompt').map((claim) => +claim.claimedAt - claim.lateMs);
    if (dueAt.length > 0) promptFrom = new Date(Math.max(...dueAt) - MARGIN_MS);
    return claims;
  };
}

type Endpoint = Claim['endpoint'];
type Delivery = NonNullable<Claim['delivery']>;
type ClaimRow = Omit<Claim, 'endpoint' | 'delivery'> & Endpoint & { [Key in keyof Delivery]: Delivery[Key] | null };

function toClaim(row: ClaimRow): Claim {
  const { id, url, username, password_sealed, secret_sealed, previous_secret_sealed, ...others } = row;
  const { private_key_sealed, previous_private_key_sealed, ...lane } = others;
  const { kind, body, webhookId, attemptsBefore, traceparents, ...claim } = lane;
  const secrets = { password_sealed, secret_sealed, previous_secret_sealed };
  const privateKeys = { private_key_sealed, previous_private_key_sealed };
  const run = { attemptsBefore: attemptsBefore ?? 0, traceparents: traceparents ?? [] };
  const delivery = webhookId && body && kind ? { webhookId, body, kind, ...run } : undefined;
  return { ...claim, endpoint: { id, url, username, ...secrets, ...privateKeys }, delivery };
}
