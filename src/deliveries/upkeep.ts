import { sql } from 'kysely';
import type { Db } from '../db/connect.js';

const CHUNK = 5_000;

/**
 * Removes what is no longer needed: attempts and acknowledged deliveries older than `retentionDays`, and whatever waits for
 * deleted endpoints. Dead letters stay until they are replayed. Each statement removes a bounded number of rows; returns
 * how many there were, and whether there may be more.
 */
export async function purge(db: Db, retentionDays: number): Promise<{ rows: number; isFull: boolean }> {
  const counts = [
    await removeOldAttempts(db, retentionDays),
    await removeOldDeliveries(db, retentionDays),
    await emptyOrphanLanes(db),
  ];
  await removeOrphanLanes(db);
  return { rows: counts.reduce((sum, count) => sum + count, 0), isFull: counts.some((count) => count >= CHUNK) };
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

async function emptyOrphanLanes(db: Db): Promise<number> {
  await sql`delete from webhook_requests where lane_id in (${orphanLanes})`.execute(db);
  return affected(
    await sql`
    delete from webhook_notifications where ctid = any(array(
      select waiting.ctid from (${orphanLanes}) lane cross join lateral (
        select ctid from webhook_notifications where lane_id = lane.id order by lane_id, id limit ${CHUNK}
      ) waiting limit ${CHUNK}
    ))`.execute(db),
  );
}

async function removeOrphanLanes(db: Db): Promise<void> {
  await sql`
    delete from webhook_lanes where id in (${orphanLanes}) and state <> 'leased'
      and (select true from webhook_notifications where lane_id = webhook_lanes.id order by lane_id, id limit 1) is null`.execute(
    db,
  );
}

const affected = ({ numAffectedRows }: { numAffectedRows?: bigint }): number => Number(numAffectedRows ?? 0);
