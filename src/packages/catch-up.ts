import { sql } from 'kysely';
import type { Db } from '../db/connect.js';
import { type Position, resumedAt } from '../db/lists/changed-since.js';
import { timeline } from '../db/lists/replica.js';
import { partitionFilter } from '../db/near.js';
import type { CatchUp } from '../queue/catch-ups.js';
import { enqueuingFor } from '../queue/enqueue.js';
import type { TrackingKey } from './tracking.js';

/** Most packages of one step, which locks all of them until it ends. */
const MAX_PACKAGES = 100;

export interface OwedPage {
  /** Packages that changed since the endpoint was disabled. */
  keys: string[];
  /** Number of packages that the step read. */
  looked: number;
  last: Position | undefined;
  isOver: boolean;
}

/**
 * Reads the next packages of a catch-up, in the order of their changes. A page ends before the oldest open transaction,
 * as in a list of changes. The last page has all packages: by then each owed movement is visible.
 */
export async function owedPackages(trx: Db, catchUp: CatchUp): Promise<OwedPage> {
  const { rows } = await sql<Position & { isSettled: boolean; isOwed: boolean }>`
    with start as materialized (${resumedAt(catchUp)}), page as materialized (
      select changed, loggi_key from packages
      where account_id = ${catchUp.accountId} and (changed, loggi_key) > ((select changed from start), (select key from start))
      order by changed, loggi_key limit ${MAX_PACKAGES + 1}
    )
    select ${timeline} as timeline, changed::text, loggi_key as key,
      changed < pg_snapshot_xmin(pg_current_snapshot()) as "isSettled",
      coalesce(job.timeline <> ${timeline} or not pg_visible_in_snapshot(page.changed, known), true) as "isOwed"
    from page cross join webhook_catch_ups job where job.id = ${catchUp.id}
    order by page.changed, loggi_key`.execute(trx);
  const isOver = rows.length <= MAX_PACKAGES;
  const page = isOver ? rows : rows.slice(0, MAX_PACKAGES).filter(({ isSettled }) => isSettled);
  const last = page.at(-1);
  return {
    keys: page.flatMap(({ key, isOwed }) => (isOwed ? [key] : [])),
    looked: page.length,
    last: last && { timeline: last.timeline, changed: last.changed, key: last.key },
    isOver,
  };
}

const enqueuingOwed = enqueuingFor(`
      select id, account_id, generation, lane_count from webhook_endpoints where id = (select endpoint_id from job)`);

// A movement takes its time before its transaction looks for endpoints. No statement may take longer than this.
const slack = sql`interval '1 minute'`;

/**
 * Notifies the endpoint of the newest movement of each package that moved during the time of the catch-up. It locks the
 * rows of the packages, as movements do. A movement that is not visible yet notifies the endpoint itself.
 * Model: Lanes!CatchUp (lab/models)
 */
export async function notifyNewest(trx: Db, { id }: CatchUp, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const areNear = partitionFilter(keys);
  await sql`
    with job as materialized (
      select * from webhook_catch_ups where id = ${id}
    ), locked as materialized (
      select account_id, loggi_key, seq, status_code from packages
      where loggi_key = any(${keys}::uuid[]) and ${areNear('loggi_key')} order by loggi_key for no key update
    ), notified as materialized (
      select account_id, locked.loggi_key, locked.seq, null as traceparent from locked cross join job cross join lateral (
        select recorded_at from movements m
        where m.loggi_key = locked.loggi_key and ${areNear('m.loggi_key')} and m.seq = locked.seq limit 1
      ) newest
      where recorded_at >= since - ${slack} and recorded_at <= until and (
        kind <> 'open' or status_code = any(array(select code from package_statuses where not final)))
    ), ${sql.raw(enqueuingOwed)}
    select 1 where false`.execute(trx);
}

/**
 * Locks packages, and reads their movements during the time of the catch-up, in order. Under the locks, no erasure can
 * remove the texts of the movements before their webhook bodies are written.
 */
export async function unsentMovements(trx: Db, { id }: CatchUp, keys: readonly string[]): Promise<TrackingKey[]> {
  if (keys.length === 0) return [];
  const areNear = partitionFilter(keys);
  await sql`
    select from packages where loggi_key = any(${keys}::uuid[]) and ${areNear('loggi_key')}
    order by loggi_key for no key update`.execute(trx);
  const { rows } = await sql<TrackingKey>`
    select movement.* from webhook_catch_ups job cross join unnest(${keys}::uuid[]) package (loggi_key)
    cross join lateral (
      select m.loggi_key as "loggiKey", m.seq from movements m
      where m.loggi_key = package.loggi_key and ${areNear('m.loggi_key')} and recorded_at >= since and recorded_at < until
    ) movement
    where job.id = ${id} order by seq, "loggiKey"`.execute(trx);
  return rows;
}
