import { sql } from 'kysely';
import type { Db } from '../db/connect.js';
import type { LaneState } from '../db/tables/deliveries.js';

export interface Backlog {
  /** Lanes that are not idle. Endpoints that are disabled or deleted do not count. */
  queue: Map<QueueState, Queue>;
  /** Endpoints that are not deleted. A `failing` one is active, but all its attempts have failed for some time. */
  endpoints: Record<EndpointState, number>;
  /** The longest time for which an endpoint has been failing, or 0. After five days an endpoint is disabled. */
  maxFailingSeconds: number;
  deadLetters: number;
}

export const queueStates = ['ready', 'leased', 'waiting', 'held'] as const satisfies readonly LaneState[];
type QueueState = (typeof queueStates)[number];

export const endpointStates = ['ok', 'failing', 'disabled'] as const;
type EndpointState = (typeof endpointStates)[number];

interface Queue {
  lanes: number;
  /** Counted up to `MAX_COUNTED` per lane, so that a long queue is counted as fast as a short one. */
  notifications: number;
  oldestSeconds: number;
}

const MAX_COUNTED = 10_000;

export async function readBacklog(db: Db): Promise<Backlog> {
  const [row] = (await endpointRows(db)).rows;
  const queue = new Map((await queueRows(db)).rows.map(({ state, ...rest }) => [state, rest]));
  const { maxFailingSeconds = 0, deadLetters = 0, ok = 0, failing = 0, disabled = 0 } = row ?? {};
  return { queue, endpoints: { ok, failing, disabled }, maxFailingSeconds, deadLetters };
}

const queueRows = (db: Db) =>
  sql<Queue & { state: QueueState }>`
    select state, count(*)::double precision as lanes, coalesce(sum(depth), 0)::double precision as notifications,
      greatest(0, coalesce(extract(epoch from now() - min(enqueued_at)), 0))::double precision as "oldestSeconds"
    from webhook_lanes lane
    join webhook_endpoints endpoint on endpoint.id = endpoint_id and disabled_at is null and endpoint.deleted_at is null
    left join lateral (
      select enqueued_at from webhook_notifications where lane_id = lane.id order by lane_id, id limit 1
    ) oldest on true
    cross join lateral (
      select count(*) as depth from (
        select from webhook_notifications where lane_id = lane.id order by lane_id, id limit ${MAX_COUNTED}
      ) waiting
    ) counted
    where state in ('ready', 'leased', 'waiting', 'held')
    group by state`.execute(db);

const endpointRows = (db: Db) =>
  sql<Record<EndpointState | 'maxFailingSeconds' | 'deadLetters', number>>`
    select
      (count(*) filter (where disabled_at is null and failing_since is null))::double precision as ok,
      (count(*) filter (where disabled_at is null and failing_since is not null))::double precision as failing,
      (count(*) filter (where disabled_at is not null))::double precision as disabled,
      coalesce(extract(epoch from now() - min(failing_since) filter (where disabled_at is null)), 0)::double precision
        as "maxFailingSeconds",
      (select count(*) from webhook_deliveries where dead_at is not null and kind = 'tracking')::double precision
        as "deadLetters"
    from webhook_endpoints where deleted_at is null`.execute(db);
