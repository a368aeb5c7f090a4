import { sql } from 'kysely';
import { erased } from '../base/erased.js';
import type { Db } from '../db/connect.js';

/**
 * Ends all endpoints of an account that is being deleted, those deleted earlier too, and erases their addresses, user names,
 * passwords and signing keys. Nothing that waits is sent any more, and no lease holds: what a sender has claimed and not begun to
 * send is not sent either (`stillLeased`), and what it sees of a request under way changes nothing. The sweep of the senders
 * removes what waits.
 */
export async function endEndpointsOf(trx: Db, accountId: string): Promise<void> {
  const own = trx.selectFrom('webhook_endpoints').select('id').where('account_id', '=', accountId);
  // Against enqueuers, which hold the key: nothing is enqueued any more once this is committed.
  const endpoints = await own.orderBy('id').forUpdate().execute();
  if (endpoints.length === 0) return;
  const nothing = Buffer.alloc(0);
  await trx
    .updateTable('webhook_endpoints')
    .set({
      url: erased.url,
      username: erased.text,
      password_sealed: nothing,
      secret_sealed: nothing,
      previous_secret_sealed: null,
      deleted_at: sql<Date>`coalesce(deleted_at, now())`,
    })
    .where('account_id', '=', accountId)
    .execute();
  await endLeases(
    trx,
    endpoints.map(({ id }) => id),
  );
}

async function endLeases(trx: Db, endpointIds: readonly string[]): Promise<void> {
  await sql`
    update webhook_lanes set state = 'stopped', claim_id = null
    where endpoint_id = any(${endpointIds}::uuid[]) and state <> 'stopped'`.execute(trx);
}

/** Those of the claims whose lease still holds: a body that was frozen at an earlier attempt is asked for just before it is sent. */
export async function stillLeased<C extends { laneId: number; claimId: string }>(
  db: Db,
  claims: readonly C[],
): Promise<C[]> {
  if (claims.length === 0) return [];
  const { rows } = await sql<{ claim_id: string }>`
    select claim_id from webhook_lanes
    where id = any(${claims.map(({ laneId }) => laneId)}::integer[])
      and claim_id = any(${claims.map(({ claimId }) => claimId)}::uuid[])`.execute(db);
  const held = new Set(rows.map(({ claim_id }) => claim_id));
  return claims.filter(({ claimId }) => held.has(claimId));
}

const CHUNK = 1_000;

/** Removes up to 1 000 of the bodies and up to 1 000 of the attempts of an account's deleted endpoints; answers whether more are left. */
export async function removeHistoryOf(db: Db, accountId: string): Promise<boolean> {
  const removed = [
    await sql`
      delete from webhook_attempts where id = any(array(
        select attempt.id from (${endedOf(accountId)}) endpoint cross join lateral (
          select id from webhook_attempts where endpoint_id = endpoint.id order by endpoint_id, id limit ${CHUNK}
        ) attempt limit ${CHUNK}))`.execute(db),
    await sql`
      delete from webhook_deliveries where webhook_id = any(array(
        select delivery.webhook_id from (${endedOf(accountId)}) endpoint cross join lateral (
          select webhook_id from webhook_deliveries where endpoint_id = endpoint.id order by endpoint_id, created_at limit ${CHUNK}
        ) delivery limit ${CHUNK}))`.execute(db),
  ];
  return removed.some(({ numAffectedRows = 0n }) => numAffectedRows >= CHUNK);
}

const endedOf = (accountId: string) =>
  sql`select id from webhook_endpoints where account_id = ${accountId} and deleted_at is not null`;
