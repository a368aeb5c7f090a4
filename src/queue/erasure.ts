import { type SqlBool, sql } from 'kysely';
import { NIL } from 'uuid';
import type { Db } from '../db/connect.js';
import { erasedJson, eraseRows } from '../db/erase.js';
import { bodyKeys } from '../db/tables/body-keys.js';
import { atomic } from '../db/transaction.js';

/**
 * Ends and erases all endpoints of an account that is being deleted, including endpoints deleted earlier. Nothing that
 * waits is sent any more, and all leases end. A claimed delivery that was not started is not sent (`stillLeased`). The
 * result of a request under way changes nothing. The upkeep of workers removes waiting notifications.
 */
export async function endEndpointsOf(trx: Db, accountId: string): Promise<void> {
  // Enqueuers lock the key of the row, so nothing is enqueued after this commits.
  const endpoints = await trx
    .selectFrom('webhook_endpoints')
    .select('id')
    .where('account_id', '=', accountId)
    .orderBy('id')
    .forUpdate()
    .execute();
  if (endpoints.length === 0) return;
  await eraseRows(trx, 'webhook_endpoints', 'deletion', sql`account_id = ${accountId}`);
  await sql`
    update webhook_endpoints set deleted_at = coalesce(deleted_at, now()) where account_id = ${accountId}`.execute(trx);
  const ids = endpoints.map(({ id }) => id);
  await trx.deleteFrom('webhook_catch_ups').where('endpoint_id', 'in', ids).execute();
  await sql`
    update webhook_lanes set state = 'stopped', claim_id = null
    where endpoint_id = any(${ids}::uuid[]) and state <> 'stopped'`.execute(trx);
}

const CHUNK = 1_000;

/** Removes up to 1 000 deliveries and attempts of an account's deleted endpoints. True if more remain. */
export async function removeHistoryOf(db: Db, accountId: string): Promise<boolean> {
  const oldest = (table: string, id: string, order: string) => sql<SqlBool>`${sql.ref(id)} = any(array(
    select history.${sql.ref(id)}
    from (select id from webhook_endpoints where account_id = ${accountId} and deleted_at is not null) endpoint
    cross join lateral (
      select ${sql.ref(id)} from ${sql.table(table)} where endpoint_id = endpoint.id
      order by endpoint_id, ${sql.ref(order)} limit ${CHUNK}
    ) history limit ${CHUNK}))`;
  const removed = [
    await eraseRows(db, 'webhook_attempts', 'account', oldest('webhook_attempts', 'id', 'id')),
    await eraseRows(db, 'webhook_deliveries', 'account', oldest('webhook_deliveries', 'webhook_id', 'created_at')),
  ];
  return removed.some((count) => count >= CHUNK);
}

/**
 * Takes lanes back from workers that are making their next delivery, because they may have read data that was erased
 * since. Those deliveries are then made again from new reads. Waits for workers that are just freezing.
 * Model: Erasure!TakeBack (lab/models)
 */
export const takeBackUnfrozen = (db: Db): Promise<unknown> =>
  atomic(db, (sole) =>
    sql`
      update webhook_lanes set state = 'ready', claim_id = null, due_at = clock_timestamp(), changes = changes + 1
      where state = 'leased' and webhook_id is null`.execute(sole),
  );

type TrackingDelivery = Awaited<ReturnType<typeof trackingDeliveriesAfter>>[number];

const PAGE_SIZE = 100;

/**
 * Reads the next 100 deliveries of notifications, by id. Starts at the beginning without `after`.
 * Model: Erasure!ReadBody (lab/models)
 */
export async function trackingDeliveriesAfter(db: Db, after: string = NIL) {
  const { rows } = await sql<{ webhook_id: string; body: Buffer }>`
    select webhook_id, body from webhook_deliveries
    where webhook_id > ${after} and kind = 'tracking' and body is not null
    order by webhook_id limit ${PAGE_SIZE}`.execute(db);
  return rows.map(({ webhook_id: webhookId, body }) => ({
    webhookId,
    body,
    loggiKeys: contentOf(body).packages.flatMap(keyOf),
  }));
}

/**
 * The body without the personal data of erased packages. It still fits the contract. Undefined if nothing had to be
 * removed.
 */
export function withoutTexts({ body }: TrackingDelivery, isErased: (loggiKey: string) => boolean): Buffer | undefined {
  const content = contentOf(body);
  const packages = content.packages.map((each) =>
    keyOf(each).some(isErased) ? erasedJson(each, bodyKeys.packages) : each,
  );
  const bytes = Buffer.from(JSON.stringify({ ...content, packages }));
  return bytes.equals(body) ? undefined : bytes;
}

/**
 * Replaces bodies that have a new version, and erases the stored answers of receivers for all, since an answer may
 * repeat anything. False if a body has changed since it was read: another erasure replaced it, for other packages.
 * Model: Erasure!Rewrite (lab/models)
 */
export async function rewriteBodies(
  db: Db,
  deliveries: readonly { webhookId: string; body: Buffer; newBody: Buffer | undefined }[],
): Promise<boolean> {
  for (const { webhookId, body, newBody } of deliveries) {
    if (!newBody) continue;
    const update = db.updateTable('webhook_deliveries').set({ body: newBody }).where('webhook_id', '=', webhookId);
    const { numUpdatedRows } = await update.where('body', '=', body).executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return false;
  }
  const ids = deliveries.map(({ webhookId }) => webhookId);
  await eraseRows(db, 'webhook_attempts', 'recipient', sql`webhook_id = any(${ids}::uuid[])`);
  return true;
}

function contentOf(body: Buffer): { packages: unknown[] } {
  const content: unknown = JSON.parse(body.toString('utf8'));
  const hasPackages = typeof content === 'object' && content !== null && 'packages' in content;
  if (!hasPackages || !Array.isArray(content.packages)) throw new Error('the body of a delivery has no packages');
  return { ...content, packages: content.packages };
}

function keyOf(each: unknown): string[] {
  if (typeof each !== 'object' || each === null || !('loggiKey' in each)) return [];
  return typeof each.loggiKey === 'string' ? [each.loggiKey] : [];
}
