import { sql } from 'kysely';
import type { Db } from '../db/connect.js';

const CHUNK = 5_000;

/**
 * Removes what is no longer needed: attempts and acknowledged deliveries older than `retentionDays`, and whatever waits for
 * deleted endpoints. Dead letters stay until they are replayed. Each statement removes a bounded number of rows; returns
 * whether there may be more.
 */
export async function purge(db: Db, retentionDays: number): Promise<boolean> {
  const counts = [
    await removeOldAttempts(db, retentionDays),
    await removeOldDeliveries(db, retentionDays),
    await emptyOrphanLanes(db, 'webhook_requests'),
    await emptyOrphanLanes(db, 'webhook_notifications'),
  ];
  await removeOrphanLanes(db);
  return counts.some((count) => count >= CHUNK);
}

/** The ids of attempts grow with time, so the oldest come first and nothing else is read. */
async function removeOldAttempts(db: Db, retentionDays: number): Promise<number> {
  return affected(
    await sql`
    delete from webhook_attempts where id = any(array(
      select id from webhook_attempts order by id limit ${CHUNK}
    )) and attempted_at < now() - ${retentionDays}::integer * interval '1 day'`.execute(db),
  );
}

async function removeOldDeliveries(db: Db, retentionDays: number): Promise<number> {
  return affected(
    await sql`
    delete from webhook_deliveries where webhook_id = any(array(
      select webhook_id from webhook_deliveries delivery
      where (dead_at is null or kind = 'test') and retain_from < now() - ${retentionDays}::integer * interval '1 day'
        and not exists (select 1 from webhook_requests where webhook_id = delivery.webhook_id)
        and not exists (select 1 from webhook_lanes where id = delivery.lane_id and webhook_id = delivery.webhook_id)
      order by retain_from limit ${CHUNK}
    ))`.execute(db),
  );
}

/** Lanes of deleted endpoints. */
const orphanLanes = sql`
  select lane.id from webhook_endpoints endpoint join webhook_lanes lane on lane.endpoint_id = endpoint.id
  where endpoint.deleted_at is not null`;

async function emptyOrphanLanes(db: Db, table: 'webhook_requests' | 'webhook_notifications'): Promise<number> {
  return affected(
    await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select waiting.ctid from (${orphanLanes}) lane cross join lateral (
        select ctid from ${sql.table(table)} where lane_id = lane.id order by lane_id, id limit ${CHUNK}
      ) waiting limit ${CHUNK}
    ))`.execute(db),
  );
}

async function removeOrphanLanes(db: Db): Promise<void> {
  await sql`
    delete from webhook_lanes where id in (${orphanLanes}) and state <> 'leased'
      and (select true from webhook_requests where lane_id = webhook_lanes.id order by lane_id, id limit 1) is null
      and (select true from webhook_notifications where lane_id = webhook_lanes.id order by lane_id, id limit 1) is null`.execute(
    db,
  );
}

const affected = ({ numAffectedRows }: { numAffectedRows?: bigint }): number => Number(numAffectedRows ?? 0);

/** What an operator monitors. */
export interface Backlog {
  /** Age of the oldest notification that is not acknowledged; 0 when none waits. */
  oldestSeconds: number;
  disabledEndpoints: number;
  deadLetters: number;
}

/** Reads the first notification of each lane only: the cost grows with the lanes, not with what waits in them. */
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
