import { sql } from 'kysely';
import type { Db } from '../db/connect.js';
import type { AttemptOutcome, LaneState } from '../db/tables/deliveries.js';
import { type Floors, type FloorsNow, floorOf } from './floors.js';
import { newestLane } from './lanes.js';
import type { Verdict } from './schedule.js';

export interface AttemptResult {
  laneId: number;
  claimId: string;
  endpointId: string;
  webhookId: string;
  number: number;
  replay: boolean;
  verdict: Verdict;
  outcome: AttemptOutcome;
  attemptedAt: Date;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  responseBody: string | null;
  /** The account of the endpoint if its receiver was slow to answer, else null. */
  slowAccountId: string | null;
}

/**
 * `lease-lost`: another worker has the lane, so the attempt changed nothing. `agesMs`: how long the removed
 * notifications waited.
 */
export type Recorded =
  | { kind: 'lease-lost' }
  | { kind: 'recorded'; lane: LaneState; agesMs: number[]; endpointDisabled: boolean };

const DAYS_OF_FAILURE = 5;

// These statements join by LATERAL … LIMIT and by = ANY(ARRAY(…)), and read the first row of a lane by the primary key.
// Otherwise a plan made for an empty queue, or for a busy lane, would later read the whole queue.

/**
 * Writes the results of many lanes in one statement, and returns outcomes in the same order. It stores each attempt,
 * settles the lanes that the caller still holds, and disables an endpoint that is gone or has failed for five days.
 * Model: Lanes!Record, Replays!Fulfil (lab/models)
 */
export async function recordResults(db: Db, results: readonly AttemptResult[], floors: Floors): Promise<Recorded[]> {
  const floorsNow = floors.now();
  const { rows } = await sql<{ state: LaneState | null; ages_ms: number[] | null; disabled_now: boolean }>`
    with result (place, floor, lane_id, claim_id, endpoint_id, webhook_id, attempt_number, replay, verdict, delay_ms,
      outcome, attempted_at, duration_ms, status_code, error, response_body, slow_account_id) as (
      select * from ${rowsOf(results, floorsNow)}
    ), owned as (
      select result.*, lane.number, lane.at, delivery.kind, delivery.members,
        verdict in ('acknowledged', 'dead') or delivery.kind = 'test' as is_over from result cross join lateral (
        ${newestLane('result.lane_id')} for update
      ) lane cross join lateral (
        select kind, members from webhook_deliveries where webhook_id = result.webhook_id limit 1
      ) delivery
      where lane.id = result.lane_id and lane.claim_id = result.claim_id
    ), settled as (
      select * from owned where is_over
    ), logged as (
      ${logAttempts}
    ), done as (
      ${deleteNotifications}
    ), fulfilled as (
      delete from webhook_requests
      where webhook_id = any(array(select webhook_id from settled where number < 0))
    ), ${results.some(mayChangeDelivery) ? changeDeliveries : sql``} released as (
      ${leaveLanes(floorsNow)}
    ), judged as (
      ${judgeEndpoints}
    )
    select released.state, coalesce(judged.disabled_now, false) as disabled_now,
      (select array_agg(age_ms) from done where done.lane_id = result.lane_id) as ages_ms
    from result left join released on released.id = result.lane_id left join judged on judged.id = result.endpoint_id
    order by result.place`.execute(db);
  return rows.map(({ state, ages_ms, disabled_now }) =>
    state === null
      ? { kind: 'lease-lost' }
      : { kind: 'recorded', lane: state, agesMs: ages_ms ?? [], endpointDisabled: disabled_now },
  );
}

/** Passes all results in one parameter, so that one plan serves any number of results. */
const rowsOf = (results: readonly AttemptResult[], { of }: FloorsNow) => {
  const rows = results.map(({ verdict, durationMs, ...result }, place) => ({
    ...result,
    place,
    floor: of(result.laneId),
    verdict: verdict.kind,
    delayMs: verdict.kind === 'retry' ? verdict.delayMs : 0,
    durationMs: Math.round(durationMs),
  }));
  return sql`json_to_recordset(${JSON.stringify(rows)}::json) as result(
    place integer, floor bigint, "laneId" integer, "claimId" uuid, "endpointId" uuid, "webhookId" uuid, number integer,
    replay boolean, verdict text, "delayMs" double precision, outcome text, "attemptedAt" timestamptz, "durationMs" integer,
    "statusCode" smallint, error text, "responseBody" text, "slowAccountId" uuid)`;
};

/** Stores every attempt. `lease_lost` marks attempts whose lane another worker has by now. */
const logAttempts = sql`
  insert into webhook_attempts (webhook_id, endpoint_id, number, replay, attempted_at, duration_ms, outcome,
    status_code, error, response_body, lease_lost)
  select webhook_id, endpoint_id, attempt_number, replay, attempted_at, duration_ms, outcome, status_code, error, response_body,
    lane_id not in (select lane_id from owned)
  from result order by place`;

/** Removes the notifications of finished deliveries, and returns how long each has waited. */
const deleteNotifications = sql`
  delete from webhook_notifications where ctid = any(array(
    select waiting.ctid from settled cross join unnest(settled.members) as member (id) cross join lateral (
      select ctid from webhook_notifications where lane_id = settled.lane_id and id = member.id order by lane_id, id limit 1
    ) waiting
  ))
  returning lane_id, (extract(epoch from clock_timestamp() - enqueued_at) * 1000)::double precision as age_ms`;

/** True if a result may change its delivery. Most do not, and the statement that may costs more with each partition. */
const mayChangeDelivery = ({ replay, verdict }: AttemptResult): boolean => replay || verdict.kind !== 'acknowledged';

// A test is over after its first attempt. A failed replay leaves its delivery as it was: acknowledged or a dead letter.
const changeDeliveries = sql`
  died as (
    update webhook_deliveries set dead_at = now(), retain_from = now() where webhook_id = any(array(
      select webhook_id from settled where verdict <> 'acknowledged' and (number >= 0 or kind = 'test')
    ))
  ), revived as (
    update webhook_deliveries set dead_at = null, retain_from = now()
    where webhook_id = any(array(select webhook_id from settled where replay and verdict = 'acknowledged'))
      and dead_at is not null
  ),`;

/** Gives each lane back in its next state: for another attempt, for the next delivery, or with nothing to do. */
const leaveLanes = (floorsNow: FloorsNow) => sql`
  update webhook_lanes lane set
    claim_id = null,
    changes = lane.changes + 1,
    slow_account_id = owned.slow_account_id,
    due_at = clock_timestamp() + delay_ms * interval '1 millisecond',
    attempt = case when is_over then 0 else lane.attempt + 1 end,
    webhook_id = case when not is_over then lane.webhook_id end,
    state = case
      when not is_over then case verdict when 'retry' then 'waiting' else 'stopped' end
      when owned.number < 0 then case when (
        select true from webhook_requests where lane_id = owned.lane_id and webhook_id <> owned.webhook_id
        order by lane_id, id limit 1
      ) then 'ready' else 'idle' end
      when (
        select true from webhook_notifications where lane_id = owned.lane_id and id <> all(owned.members)
          and id >= ${floorOf(floorsNow, 'owned.floor')}
        order by lane_id, id limit 1
      ) then 'ready' else 'idle' end
  from owned where lane.ctid = owned.at and lane.ctid = any(array(select at from owned))
  returning lane.id, lane.state`;

/** Notes since when an endpoint has been failing. Disables one that is gone or has failed for too long. */
const judgeEndpoints = sql`
  update webhook_endpoints endpoint set
    failing_since = case when alive then null else coalesce(failing_since, now()) end,
    disabled_at = case when gone or failed_long then now() else disabled_at end,
    disabled_reason = case when gone then 'gone' when failed_long then 'failing' else disabled_reason end,
    version = case when gone or failed_long then version + 1 else version end,
    updated_at = case when gone or failed_long then now() else updated_at end
  from (
    select judged.*, not alive and failing_since < now() - ${sql.lit(DAYS_OF_FAILURE)} * interval '1 day'
      and disabled_at is null as failed_long, disabled_at is null and asked as gone
    from (
      select endpoint_id, bool_or(outcome = 'acknowledged') as alive, bool_or(verdict = 'gone') as asked
      from owned group by endpoint_id
    ) judged cross join lateral (
      select failing_since, disabled_at from webhook_endpoints where id = judged.endpoint_id limit 1
    ) now
  ) verdict
  where endpoint.id = verdict.endpoint_id and endpoint.id = any(array(select endpoint_id from owned)) and (gone or failed_long or alive = (failing_since is not null))
  returning endpoint.id, gone or failed_long as disabled_now`;
