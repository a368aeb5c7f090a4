import { sql } from 'kysely';
import type { KeyRing } from '../base/keys.js';
import type { Db } from '../db/connect.js';
import { dropPartitions, type KeptKeys, rowsGoBefore } from '../db/partitions/drop.js';
import { daysAgo } from '../db/partitions/partitions.js';
import { keyAt } from '../db/partitions/periods.js';
import { webhookAttempts, webhookDeliveries } from '../db/partitions/tables.js';
import { transaction } from '../db/transaction.js';
import { newKeyPair } from './key-pairs.js';
import { sealSecret } from './secrets.js';

const CHUNK = 5_000;

/** For how many days each is kept; 0 is for ever. Of deliveries that are dead letters, since they became so. */
export interface Retention {
  attempts: number;
  deliveries: number;
  deadLetters: number;
}

/**
 * Removes what is no longer needed: attempts, acknowledged deliveries and dead letters after their days, and whatever waits for deleted
 * endpoints. Each statement removes a bounded number of rows, or a partition; returns how many rows it counted, and whether there may
 * be more.
 */
export async function purge(db: Db, retention: Retention): Promise<{ rows: number; isFull: boolean }> {
  const { attempts, deliveries, deadLetters } = retention;
  const counts = [
    attempts > 0 ? await removeOldAttempts(db, attempts) : 0,
    deadLetters > 0 ? await removeOldDeadLetters(db, deadLetters) : 0,
    deliveries > 0 ? await removeOldDeliveries(db, retention) : 0,
    await emptyOrphanLanes(db, 'webhook_requests'),
    await emptyOrphanLanes(db, 'webhook_notifications'),
  ];
  await removeOrphanLanes(db);
  return { rows: counts.reduce((sum, count) => sum + count, 0), isFull: counts.some((count) => count >= CHUNK) };
}

/** The ids of attempts grow with time, so the oldest come first and nothing else is read. */
async function removeOldAttempts(db: Db, days: number): Promise<number> {
  const before = await daysAgo(db, days);
  await dropPartitions(db, webhookAttempts, before);
  return affected(
    await sql`
    delete from webhook_attempts where id = any(array(
      select id from webhook_attempts order by id limit ${CHUNK}
    )) and attempted_at < ${await rowsGoBefore(db, webhookAttempts, before)}`.execute(db),
  );
}

const isDead = sql`dead_at is not null and kind = 'tracking'`;
const isOver = sql`(dead_at is null or kind = 'test')`;

const waits = sql`(
  exists (select 1 from webhook_requests where webhook_id = delivery.webhook_id)
  or exists (select 1 from webhook_lanes where id = delivery.lane_id and webhook_id = delivery.webhook_id))`;

async function removeOldDeadLetters(db: Db, days: number): Promise<number> {
  return affected(
    await sql`
    delete from webhook_deliveries where webhook_id = any(array(
      select webhook_id from webhook_deliveries delivery
      where ${isDead} and dead_at < now() - ${days}::integer * interval '1 day' and not ${waits} limit ${CHUNK}
    ))`.execute(db),
  );
}

async function removeOldDeliveries(db: Db, retention: Retention): Promise<number> {
  const before = await daysAgo(db, retention.deliveries);
  await dropPartitions(db, webhookDeliveries, before, keptDeliveries(before));
  const oldest = keyAt(webhookDeliveries.kind, await rowsGoBefore(db, webhookDeliveries, before));
  return affected(
    await sql`
    delete from webhook_deliveries where webhook_id = any(array(
      select webhook_id from webhook_deliveries delivery
      where ${isOver} and retain_from < ${before} and webhook_id < ${oldest} and not ${waits}
      order by retain_from limit ${CHUNK}
    ))`.execute(db),
  );
}

/** Deliveries of old partitions that stay: dead letters, those that a replay has made young again, and those that wait. */
const keptDeliveries =
  (before: Date): KeptKeys =>
  (partition) =>
    sql`
    select webhook_id from ${partition} where ${isDead}
    union all select webhook_id from ${partition} where ${isOver} and retain_from >= ${before}
    union all select webhook_id from webhook_requests join ${partition} using (webhook_id)
    union all select webhook_id from webhook_lanes join ${partition} using (webhook_id)`;

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

const MOST_PAIRS = 100;

/**
 * Gives key pairs to up to 100 endpoints that have none: they were registered by a release before 1.3. Endpoints that another process has
 * locked are left to it, so that each gets one pair only. Returns whether there may be more.
 */
export async function addKeyPairs(db: Db, ring: KeyRing): Promise<boolean> {
  return transaction(db, async (trx) => {
    const endpoints = await trx
      .selectFrom('webhook_endpoints')
      .select('id')
      .where('public_key', 'is', null)
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .limit(MOST_PAIRS)
      .forNoKeyUpdate()
      .skipLocked()
      .execute();
    for (const { id } of endpoints) {
      const { publicKey, privateKey } = newKeyPair();
      const pair = { public_key: publicKey, private_key_sealed: sealSecret(ring, id, privateKey) };
      await trx.updateTable('webhook_endpoints').set(pair).where('id', '=', id).execute();
    }
    return endpoints.length === MOST_PAIRS;
  });
}

const affected = ({ numAffectedRows }: { numAffectedRows?: bigint }): number => Number(numAffectedRows ?? 0);
