import { type RawBuilder, sql } from 'kysely';
import type { KeyRing } from '../base/secrets/keys.js';
import type { Db } from '../db/connect.js';
import { dropPartitions, type KeptKeys, rowsGoBefore } from '../db/partitions/drop.js';
import { daysAgo } from '../db/partitions/partitions.js';
import { keyAt } from '../db/partitions/periods.js';
import { webhookAttempts, webhookDeliveries } from '../db/partitions/tables.js';
import { transaction } from '../db/transaction.js';
import { newKeyPair } from '../endpoints/key-pairs.js';
import { sealSecret } from '../endpoints/secrets.js';
import { affectedRows } from './lanes.js';

const CHUNK = 5_000;

/** Days for which records are kept; 0 means for ever. Days of a dead letter count from when it became one. */
export interface Retention {
  attempts: number;
  deliveries: number;
  deadLetters: number;
}

/**
 * Removes old attempts, acknowledged deliveries and dead letters, and everything that waits for deleted endpoints. Each
 * call removes a limited number of rows, or whole partitions. `isFull` means that there may be more.
 */
export async function purge(db: Db, retention: Retention): Promise<{ rows: number; isFull: boolean }> {
  const { attempts, deliveries, deadLetters } = retention;
  const counts = [
    attempts > 0 ? await removeOldAttempts(db, attempts) : 0,
    deadLetters > 0 ? await removeDeliveries(db, deadSince(deadLetters)) : 0,
    deliveries > 0 ? await removeOldDeliveries(db, retention) : 0,
    await affectedRows(db, emptyingOrphanLanes('webhook_requests')),
    await affectedRows(db, emptyingOrphanLanes('webhook_notifications')),
  ];
  await removingOrphanLanes.execute(db);
  return { rows: counts.reduce((sum, count) => sum + count, 0), isFull: counts.some((count) => count >= CHUNK) };
}

/** Removes old attempts. Their ids grow with time, so only the oldest are read. */
async function removeOldAttempts(db: Db, days: number): Promise<number> {
  const before = await daysAgo(db, days);
  await dropPartitions(db, webhookAttempts, before);
  const removal = sql`
    delete from webhook_attempts where id = any(array(
      select id from webhook_attempts order by id limit ${CHUNK}
    )) and attempted_at < ${rowsGoBefore(webhookAttempts, before)}`;
  return affectedRows(db, removal);
}

const isDead = sql`dead_at is not null and kind = 'tracking'`;
const isOver = sql`(dead_at is null or kind = 'test')`;

const waits = sql`(
  exists (select 1 from webhook_requests where webhook_id = delivery.webhook_id)
  or exists (select 1 from webhook_lanes where id = delivery.lane_id and webhook_id = delivery.webhook_id))`;

const deadSince = (days: number) => sql`${isDead} and dead_at < now() - ${days}::integer * interval '1 day'`;

/**
 * Deletes deliveries that nothing waits for. A dead letter that an operator is sending again is locked, so it stays.
 * Model: Replays!SeeOld, Replays!LockOld, Replays!RemoveOld (lab/models)
 */
function removeDeliveries(db: Db, which: RawBuilder<unknown>): Promise<number> {
  return transaction(db, async (trx) => {
    const { rows } = await sql<{ webhook_id: string }>`
      select webhook_id from webhook_deliveries delivery where ${which} and not ${waits}
      order by retain_from limit ${CHUNK} for update skip locked`.execute(trx);
    const ids = rows.map(({ webhook_id }) => webhook_id);
    // Check again under the locks: the first statement does not see rows that were queued after its start.
    const removal = sql`
      delete from webhook_deliveries delivery where webhook_id = any(${ids}::uuid[]) and not ${waits}`;
    return ids.length > 0 ? affectedRows(trx, removal) : 0;
  });
}

async function removeOldDeliveries(db: Db, retention: Retention): Promise<number> {
  const before = await daysAgo(db, retention.deliveries);
  await dropPartitions(db, webhookDeliveries, before, keptDeliveries(before));
  const oldest = keyAt(webhookDeliveries.kind, rowsGoBefore(webhookDeliveries, before));
  return removeDeliveries(db, sql`${isOver} and retain_from < ${before} and webhook_id < ${oldest}`);
}

/** Deliveries of old partitions to keep: dead letters, waiting ones, and those that a replay made recent again. */
const keptDeliveries =
  (before: Date): KeptKeys =>
  (partition) =>
    sql`
    select webhook_id from ${partition} where ${isDead}
    union all select webhook_id from ${partition} where ${isOver} and retain_from >= ${before}
    union all select webhook_id from webhook_requests join ${partition} using (webhook_id)
    union all select webhook_id from webhook_lanes join ${partition} using (webhook_id)`;

const orphanLanes = sql`
  select lane.id from webhook_endpoints endpoint join webhook_lanes lane on lane.endpoint_id = endpoint.id
  where endpoint.deleted_at is not null`;

const emptyingOrphanLanes = (table: 'webhook_requests' | 'webhook_notifications') => sql`
  delete from ${sql.table(table)} where ctid = any(array(
    select waiting.ctid from (${orphanLanes}) lane cross join lateral (
      select ctid from ${sql.table(table)} where lane_id = lane.id order by lane_id, id limit ${CHUNK}
    ) waiting limit ${CHUNK}
  ))`;

const removingOrphanLanes = sql`
  delete from webhook_lanes where id in (${orphanLanes}) and state <> 'leased'
    and (select true from webhook_requests where lane_id = webhook_lanes.id order by lane_id, id limit 1) is null
    and (select true from webhook_notifications where lane_id = webhook_lanes.id order by lane_id, id limit 1) is null`;

const MAX_PAIRS = 100;

/** Gives key pairs to up to 100 endpoints from releases before 1.3. True if there may be more. */
export async function addKeyPairs(db: Db, ring: KeyRing): Promise<boolean> {
  return transaction(db, async (trx) => {
    const endpoints = await trx
      .selectFrom('webhook_endpoints')
      .select('id')
      .where('public_key', 'is', null)
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .limit(MAX_PAIRS)
      .forNoKeyUpdate()
      .skipLocked()
      .execute();
    for (const { id } of endpoints) {
      const { publicKey, privateKey } = newKeyPair();
      const pair = { public_key: publicKey, private_key_sealed: sealSecret(ring, id, privateKey) };
      await trx.updateTable('webhook_endpoints').set(pair).where('id', '=', id).execute();
    }
    return endpoints.length === MAX_PAIRS;
  });
}

const queueTables = ['webhook_lanes', 'webhook_notifications', 'webhook_requests'] as const;

/** A table with fewer pages (of 8 KiB) is read fast by any plan. */
const FEW_PAGES = 64;

/**
 * Renews the statistics of queue tables that have doubled in size, because a plan for a small table reads all of it.
 */
export function createPlanRenewal(db: Db): () => Promise<number> {
  const pagesBefore = new Map<string, number>();
  return async () => {
    let renewed = 0;
    for (const { name, pages } of (await sizes.execute(db)).rows) {
      const before = Math.min(pagesBefore.get(name) ?? FEW_PAGES / 2, pages);
      const isOutgrown = pages >= FEW_PAGES && pages >= 2 * before;
      if (isOutgrown) await sql`analyze (skip_locked) ${sql.table(name)}`.execute(db);
      pagesBefore.set(name, isOutgrown ? pages : before);
      renewed += Number(isOutgrown);
    }
    return renewed;
  };
}

const sizes = sql<{ name: (typeof queueTables)[number]; pages: number }>`
  select name, (pg_relation_size(name::regclass) / 8192)::integer as pages from unnest(${queueTables}::text[]) name`;
