import { performance } from 'node:perf_hooks';
import { sql } from 'kysely';
import type { TraceParent } from '../base/tracing.js';
import type { Db } from '../db/connect.js';
import type { DeliveryKind } from '../db/tables/deliveries.js';
import { REQUEST_LANE } from './lanes.js';
import type { SealedSecrets } from './secrets.js';

/**
 * Lanes are claimed in three groups, so that none uses up the places of another: `again` are those whose delivery has failed
 * before; of the others, `prompt` are those whose receiver last answered promptly, and `slow` those whose receiver did not, or
 * has not been sent anything yet.
 */
export type LaneGroup = 'prompt' | 'slow' | 'again';

/** A leased lane, its endpoint, and the delivery that it carries, if one is frozen. */
export interface Claim {
  laneId: number;
  accountId: string;
  group: LaneGroup;
  /** Names the lease: whoever records for the lane must still hold it. */
  claimId: string;
  /** The lane carries replays and tests, not notifications. */
  isRequestLane: boolean;
  endpoint: { url: string; username: string } & SealedSecrets;
  /** Attempts made of the delivery in its present run; `attemptsBefore` are those of earlier ones. */
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
  /** The database's time at the claim. */
  claimedAt: Date;
  /** How late the lane was claimed, in ms. */
  lateMs: number;
  /** The lane was taken over from a worker that did not return it. */
  takenOver: boolean;
}

/** How many lanes of each group may be claimed, and for how long. */
export interface ClaimLimits {
  prompt: number;
  slow: SlowLimits;
  again: number;
  leaseMs: number;
}

/** The accounts take turns in the slow lanes. */
interface SlowLimits {
  lanes: number;
  /** Of one account by one claim, and at once with those that it has under way. */
  ofAccount: number;
  ofAccountAtOnce: number;
  /** Slow requests under way, by account. */
  underWay: ReadonlyMap<string, number>;
  /** The turn begins with the accounts whose ids are greater. */
  after: string;
}

// A claim looks at no more accounts than this: more than several workers have under way, so that some are due among them.
const MOST_ACCOUNTS = 1_000;

const claimable = sql`state in ('ready', 'leased', 'waiting')`;
const isSlow = sql`${claimable} and attempt = 0 and slow_account_id is not null`;

/**
 * Accounts that have slow lanes, each found by one step in the index, however much waits of the accounts before it. The lanes of
 * an account are bounded by row comparisons instead of an equality: so no index but this one offers them in their order.
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
      where account.id is not null and place < ${MOST_ACCOUNTS} and not (wrapped and account.id >= ${after}::uuid)
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

/**
 * Leases due lanes, of each group the longest due first, each to one worker only: a lane that another is claiming is skipped. A
 * lease that ran out is due like any other lane. Lanes of endpoints that are disabled or deleted are stopped instead. Prompt
 * lanes that were due before `promptFrom` are left out.
 */
export async function claimLanes(
  db: Db,
  { prompt, slow, again, leaseMs }: ClaimLimits,
  promptFrom?: Date,
): Promise<Claim[]> {
  const { rows } = await sql<ClaimRow>`
    with recursive ${slowLanes(slow)}, prompt as (
      select id, ctid as at, endpoint_id, state, due_at, 'prompt' as "group" from webhook_lanes
      where ${claimable} and attempt = 0 and slow_account_id is null
        and due_at >= ${promptFrom ?? '-infinity'}::timestamptz and due_at <= now()
      order by due_at, id limit ${prompt} for update skip locked
    ), again as (
      select id, ctid as at, endpoint_id, state, due_at, 'again' as "group" from webhook_lanes
      where ${claimable} and attempt > 0 and due_at <= now()
      order by due_at limit ${again} for update skip locked
    ), due as (
      select * from prompt union all select * from slow union all select * from again
    ), target as (
      select due.id, due.at, due."group", due.state = 'leased' as taken_over, clock_timestamp() - due.due_at as late,
        endpoint.disabled_at is null and endpoint.deleted_at is null as active,
        endpoint.id as endpoint_id, account_id, url, username, password_sealed, secret_sealed,
        case when previous_secret_until > now() then previous_secret_sealed end as previous_secret_sealed,
        private_key_sealed,
        case when previous_key_until > now() then previous_private_key_sealed end as previous_private_key_sealed
      from due cross join lateral (select * from webhook_endpoints where id = due.endpoint_id limit 1) endpoint
    ), claimed as (
      update webhook_lanes lane set
        state = case when active then 'leased' else 'stopped' end,
        claim_id = case when active then gen_random_uuid() end,
        due_at = clock_timestamp() + ${leaseMs}::double precision * interval '1 millisecond',
        changes = changes + 1
      from target where lane.ctid = target.at and lane.ctid = any(array(select at from target))
      returning lane.id as lane_id, lane.claim_id, lane.number, lane.attempt, lane.webhook_id, target.*
    )
    select claimed.lane_id, account_id, "group", claim_id, number, attempt, claimed.webhook_id, delivery.body, delivery.kind, attempts_before, traceparents, taken_over,
      (extract(epoch from late) * 1000)::double precision as late_ms, clock_timestamp() as claimed_at,
      claimed.endpoint_id, url, username, password_sealed, secret_sealed, previous_secret_sealed,
      private_key_sealed, previous_private_key_sealed
    from claimed left join lateral (
      select body, kind, attempts_before, traceparents from webhook_deliveries where webhook_id = claimed.webhook_id limit 1
    ) delivery on true
    where active`.execute(db);
  return rows.map(toClaim);
}

// More than passes between the time that a lane is due from and the commit that shows it, most often.
const MARGIN_MS = 250;

const FULL_LOOK_MS = 1_000;

/** A full look takes at most this share of the time. */
const FULL_LOOK_SHARE = 1 / 20;

/**
 * Claims lanes as `claimLanes` does, for one worker. What was claimed stays in the index for as long as anybody holds a snapshot, so
 * prompt lanes are looked for only from where the last claim ended. What is committed late, or was locked then, is found by
 * a look at all of them, about once a second.
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

interface ClaimRow extends Omit<SealedSecrets, 'id'> {
  lane_id: number;
  account_id: string;
  group: LaneGroup;
  claim_id: string;
  number: number;
  attempt: number;
  webhook_id: string | null;
  body: Buffer | null;
  kind: DeliveryKind | null;
  attempts_before: number | null;
  traceparents: TraceParent[] | null;
  taken_over: boolean;
  late_ms: number;
  claimed_at: Date;
  endpoint_id: string;
  url: string;
  username: string;
}

function toClaim(row: ClaimRow): Claim {
  const { endpoint_id: id, url, username, password_sealed, secret_sealed, previous_secret_sealed } = row;
  const { private_key_sealed, previous_private_key_sealed } = row;
  const secrets = { password_sealed, secret_sealed, previous_secret_sealed };
  const privateKeys = { private_key_sealed, previous_private_key_sealed };
  return {
    laneId: row.lane_id,
    accountId: row.account_id,
    group: row.group,
    claimId: row.claim_id,
    isRequestLane: row.number === REQUEST_LANE,
    endpoint: { id, url, username, ...secrets, ...privateKeys },
    attempts: row.attempt,
    delivery: toDelivery(row),
    claimedAt: row.claimed_at,
    lateMs: row.late_ms,
    takenOver: row.taken_over,
  };
}

function toDelivery({ webhook_id: webhookId, body, kind, ...row }: ClaimRow): Claim['delivery'] {
  if (!webhookId || !body || !kind) return undefined;
  return { webhookId, body, kind, attemptsBefore: row.attempts_before ?? 0, traceparents: row.traceparents ?? [] };
}
