import { sql } from 'kysely';
import type { Db } from '../db/connect.js';
import type { DeliveryKind } from '../db/tables-deliveries.js';
import { requestLane } from './lanes.js';
import type { SealedSecrets } from './secrets.js';

/** A leased lane, the endpoint at its end, and the body that it carries, if one is frozen. */
export interface Claim {
  laneId: number;
  /** Names the lease: whoever records for the lane must still hold it. */
  claimId: string;
  /** Carries what the operator asked for, not notifications. */
  isRequestLane: boolean;
  endpoint: { url: string; username: string } & SealedSecrets;
  /** Attempts made of the frozen body in its present run; `attemptsBefore` are those of earlier ones. */
  attempts: number;
  frozen: { webhookId: string; body: Buffer; kind: DeliveryKind; attemptsBefore: number } | undefined;
  /** The database's time at the claim. */
  claimedAt: Date;
  /** How late the lane was claimed, in ms. */
  lateMs: number;
  /** The lane was taken over from a sender that did not return it. */
  takenOver: boolean;
}

export interface ClaimLimits {
  /** Lanes whose body has not failed yet. */
  fresh: number;
  /** Lanes whose body has failed before: a bound of their own, so that they cannot use up all places. */
  again: number;
  leaseMs: number;
}

/**
 * Leases due lanes, the longest due first, each to one claimer only: a lane that another claims at the moment is skipped.
 * A lease that ran out is due like any other lane. Lanes of endpoints that are disabled or deleted are stopped instead.
 */
export async function claimLanes(db: Db, { fresh, again, leaseMs }: ClaimLimits): Promise<Claim[]> {
  const { rows } = await sql<ClaimRow>`
    with fresh as (
      select id, endpoint_id, state, due_at from webhook_lanes
      where state in ('ready', 'leased', 'waiting') and attempt = 0 and due_at <= now()
      order by due_at limit ${fresh} for update skip locked
    ), again as (
      select id, endpoint_id, state, due_at from webhook_lanes
      where state in ('ready', 'leased', 'waiting') and attempt > 0 and due_at <= now()
      order by due_at limit ${again} for update skip locked
    ), due as (
      select * from fresh union all select * from again
    ), target as (
      select due.id, due.state = 'leased' as taken_over, clock_timestamp() - due.due_at as late,
        endpoint.disabled_at is null and endpoint.deleted_at is null as active,
        endpoint.id as endpoint_id, url, username, password_sealed, secret_sealed,
        case when previous_secret_until > now() then previous_secret_sealed end as previous_secret_sealed
      from due cross join lateral (select * from webhook_endpoints where id = due.endpoint_id limit 1) endpoint
    ), claimed as (
      update webhook_lanes lane set
        state = case when active then 'leased' else 'stopped' end,
        claim_id = case when active then gen_random_uuid() end,
        due_at = clock_timestamp() + ${leaseMs}::double precision * interval '1 millisecond'
      from target where lane.id = target.id and lane.id = any(array(select id from target))
      returning lane.id as lane_id, lane.claim_id, lane.number, lane.attempt, lane.webhook_id, target.*
    )
    select claimed.lane_id, claim_id, number, attempt, claimed.webhook_id, delivery.body, delivery.kind, attempts_before, taken_over,
      (extract(epoch from late) * 1000)::double precision as late_ms, clock_timestamp() as claimed_at,
      claimed.endpoint_id, url, username, password_sealed, secret_sealed, previous_secret_sealed
    from claimed left join lateral (
      select body, kind, attempts_before from webhook_deliveries where webhook_id = claimed.webhook_id limit 1
    ) delivery on true
    where active`.execute(db);
  return rows.map(toClaim);
}

interface ClaimRow {
  lane_id: number;
  claim_id: string;
  number: number;
  attempt: number;
  webhook_id: string | null;
  body: Buffer | null;
  kind: DeliveryKind | null;
  attempts_before: number | null;
  taken_over: boolean;
  late_ms: number;
  claimed_at: Date;
  endpoint_id: string;
  url: string;
  username: string;
  password_sealed: Buffer;
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
}

function toClaim(row: ClaimRow): Claim {
  const { endpoint_id: id, url, username, password_sealed, secret_sealed, previous_secret_sealed } = row;
  return {
    laneId: row.lane_id,
    claimId: row.claim_id,
    isRequestLane: row.number === requestLane,
    endpoint: { id, url, username, password_sealed, secret_sealed, previous_secret_sealed },
    attempts: row.attempt,
    frozen: toFrozen(row),
    claimedAt: row.claimed_at,
    lateMs: row.late_ms,
    takenOver: row.taken_over,
  };
}

function toFrozen({ webhook_id: webhookId, body, kind, attempts_before }: ClaimRow): Claim['frozen'] {
  return webhookId && body && kind ? { webhookId, body, kind, attemptsBefore: attempts_before ?? 0 } : undefined;
}
