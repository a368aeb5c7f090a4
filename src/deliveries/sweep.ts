import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.js';

/**
 * Wakes idle lanes in which something waits. A sender that finds a lane empty makes it idle; a notification that was
 * written before and committed after that has found the lane leased, and woken nobody. `recent` looks only at lanes
 * that became idle within the last minute, so that it can run each second however many lanes there are.
 */
export async function wakeIdleLanes(db: Db, scope: 'recent' | 'all'): Promise<number> {
  return wake(
    db,
    sql`state = 'idle' and (${scope} = 'all' or due_at > now() - interval '1 minute') and coalesce(
      (select true from webhook_notifications where lane_id = lane.id order by lane_id, id limit 1),
      (select true from webhook_requests where lane_id = lane.id order by lane_id, id limit 1), false)`,
  );
}

/** Wakes stopped lanes of endpoints that are active: an endpoint enabled just while its lane was being stopped. */
export async function wakeStoppedLanes(db: Db): Promise<number> {
  return wake(
    db,
    sql`state = 'stopped' and exists (
      select 1 from webhook_endpoints where id = lane.endpoint_id and disabled_at is null and deleted_at is null)`,
  );
}

async function wake(db: Db, forgotten: RawBuilder<unknown>): Promise<number> {
  const woken = await sql`
    update webhook_lanes set state = 'ready', due_at = clock_timestamp() where id in (
      select id from webhook_lanes lane where ${forgotten} for update skip locked
    )`.execute(db);
  return Number(woken.numAffectedRows ?? 0);
}
