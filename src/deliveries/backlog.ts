import { sql } from 'kysely';
import type { Db } from '../db/connect.js';

/** What an operator watches. */
export interface Backlog {
  /** Age of the oldest notification that is not acknowledged; 0 when none waits. */
  oldestSeconds: number;
  disabledEndpoints: number;
  deadLetters: number;
}

/** Looks at the head of each lane only: its cost grows with the lanes, not with what waits in them. */
export async function readBacklog(db: Db): Promise<Backlog> {
  const { rows } = await sql<{ oldest: number; disabled: string; letters: string }>`
    select
      coalesce((
        select extract(epoch from now() - min(enqueued_at)) from webhook_lanes lane cross join lateral (
          select enqueued_at from webhook_notifications where lane_id = lane.id order by lane_id, id limit 1
        ) head where state <> 'idle'
      ), 0)::double precision as oldest,
      (select count(*) from webhook_endpoints where disabled_at is not null and deleted_at is null) as disabled,
      (select count(*) from webhook_deliveries where dead_at is not null and kind = 'tracking') as letters`.execute(db);
  const [row] = rows;
  return {
    oldestSeconds: Math.max(0, row?.oldest ?? 0),
    disabledEndpoints: Number(row?.disabled ?? 0),
    deadLetters: Number(row?.letters ?? 0),
  };
}
