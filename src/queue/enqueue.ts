import { sql } from 'kysely';
import type { TraceParent } from '../base/telemetry/tracing.js';
import type { Db } from '../db/connect.js';

export interface RecordedMovement {
  accountId: string;
  loggiKey: string;
  seq: number;
  traceparent?: TraceParent | undefined;
}

/**
 * Common table expressions that write notifications and make their lanes ready. An expression before them gives the
 * rows: `notified (account_id, loggi_key, seq, traceparent)`. Each row gets a notification for each active endpoint of
 * its account. The statement holds the locks of the packages' rows, or inserts the packages. So the ids of a package's
 * notifications grow with `seq`, and the order of deliveries depends on that.
 *
 * They never wait for a worker. If a lane is locked, the transaction with the lock, or the sweep, finds the
 * notification. They do wait while an endpoint is deleted or gets new lanes. A statement that waited for new lanes does
 * not see them. Its notification then has no lane, so it fails, and `transaction` and `atomic` run it again
 * (isRetryable). The key-share lock also gives the transaction its id before the notifications get theirs. The floors
 * depend on that (floors.ts).
 *
 * The CASE around `idle` leaves the planner only the key of a lane. Otherwise it could choose the index of idle lanes,
 * which looks short if most lanes were busy when the statistics were made.
 *
 * Model: Lanes!Enqueue, Lanes!EnqueueNone, Floors!TakeXid (lab/models)
 */
export const enqueuing = enqueuingFor(`
      select own.* from (select distinct account_id from notified) account cross join lateral (
        select id, account_id, generation, lane_count from webhook_endpoints
        where account_id = account.account_id and disabled_at is null and deleted_at is null
        order by account_id, url for key share
      ) own`);

/**
 * Makes the statements of `enqueuing` for the endpoints that the SQL `endpoints` selects. The transaction must have
 * locked their rows. Model: Floors!TakeId (lab/models)
 */
export function enqueuingFor(endpoints: string): string {
  return `
    endpoint as materialized (${endpoints}
    ), enqueued as (
      insert into webhook_notifications (lane_id, loggi_key, seq, traceparent)
      select lane.id, notified.loggi_key, notified.seq, notified.traceparent
      from notified
      join endpoint on endpoint.account_id = notified.account_id
      cross join lateral (
        select ('x' || right(notified.loggi_key::text, 4))::bit(16)::integer % endpoint.lane_count as number
      ) chosen
      left join lateral (
        select id, endpoint_id, generation, number from webhook_lanes
        where (endpoint_id, generation, number, changes) <= (endpoint.id, endpoint.generation, chosen.number, 9223372036854775807)
        order by endpoint_id desc, generation desc, number desc, changes desc limit 1
      ) lane on lane.endpoint_id = endpoint.id and lane.generation = endpoint.generation and lane.number = chosen.number
      order by notified.loggi_key, notified.seq
      returning lane_id
    ), newest as (
      select lane.* from (select distinct lane_id from enqueued) filled cross join lateral (
        select id, ctid as at, state from webhook_lanes
        where (id, changes) <= (filled.lane_id, 9223372036854775807) order by id desc, changes desc limit 1
      ) lane where lane.id = filled.lane_id
    ), asleep as (
      select ctid as at from webhook_lanes
      where ctid = any(array(select at from newest where state = 'idle')) and case state when 'idle' then true end
      for update skip locked
    ), woken as (
      update webhook_lanes set state = 'ready', due_at = clock_timestamp(), changes = changes + 1
      where ctid = any(array(select at from asleep))
    )`;
}

/** Enqueues notifications of movements that this transaction has recorded. */
export async function enqueueNotifications(db: Db, movements: readonly RecordedMovement[]): Promise<void> {
  if (movements.length === 0) return;
  await sql`
    with notified (account_id, loggi_key, seq, traceparent) as materialized (
      select * from json_to_recordset(${JSON.stringify(movements)}::json) as moved(
        "accountId" uuid, "loggiKey" uuid, seq integer, traceparent text)
    ), ${sql.raw(enqueuing)}
    select 1 where false`.execute(db);
}
