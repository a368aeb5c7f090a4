import { type Selection, sql } from 'kysely';
import { notFound } from '../base/errors.js';
import { isId, newId } from '../base/ids.js';
import type { Listed, Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { readPage } from '../db/lists/read-page.js';
import { row } from '../db/row.js';
import type { Database } from '../db/tables/database.js';

const columns = [
  'id',
  'kind',
  'account_id as accountId',
  // The erasure concerns recipients of orders that ended before this time.
  'before',
  'requested_at as requestedAt',
  'orders',
  'finished_at as finishedAt',
] as const;

/**
 * The record of an erasure. After a restore from a backup, the erasure must run again. A record holds only ids and
 * times.
 */
export type Erasure = Selection<Database, 'erasures', (typeof columns)[number]>;

/** Records that an account was deleted and that its personal data must be erased. A second call changes nothing. */
export async function recordDeletion(trx: Db, accountId: string): Promise<void> {
  await sql`
    insert into erasures (id, kind, account_id, requested_at)
    select ${newId()}, 'account', id, deleted_at from accounts where id = ${accountId}
    on conflict (account_id) do nothing`.execute(trx);
}

export const requestRecipientErasure = (db: Db, before: Date): Promise<Erasure> =>
  db
    .insertInto('erasures')
    .values(row<'erasures'>({ id: newId(), kind: 'recipients', account_id: null, before }))
    .returning(columns)
    .executeTakeFirstOrThrow();

/**
 * Requests an erasure of recipients, unless one up to this time or later exists. Every process may call this each day.
 */
export async function ensureRecipientErasure(db: Db, olderThanDays: number): Promise<void> {
  const before = sql`(date_trunc('day', now(), 'UTC') - make_interval(days => ${olderThanDays}::integer))::timestamptz(3)`;
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('recipient erasure', 0))`.execute(trx);
    await sql`
      insert into erasures (id, kind, before) select ${newId()}, 'recipients', ${before}
      where not exists (select from erasures where kind = 'recipients' and before >= ${before})`.execute(trx);
  });
}

export async function getErasure(db: Db, id: string): Promise<Erasure> {
  const query = db.selectFrom('erasures').select(columns).where('id', '=', id);
  const row = isId(id) ? await query.executeTakeFirst() : undefined;
  if (!row) throw notFound('erasure');
  return row;
}

/** Lists erasures, newest first. */
export function listErasures(db: Db, page: Page): Promise<Listed<Erasure>> {
  const newest = db.selectFrom('erasures').select(columns).orderBy('requested_at', 'desc').orderBy('id', 'desc');
  return readPage(db, newest, page);
}

const lease = sql<Date>`now() + interval '1 minute'`;

// The erasure of an account starts after the account's own row has lost its personal data.
const firstDue = sql<string>`(
  select e.id from erasures e left join accounts a on a.id = e.account_id
  where e.finished_at is null and (e.leased_until is null or e.leased_until < now())
    and (e.kind = 'recipients' or a.erased_at is not null)
  order by e.requested_at limit 1 for update of e skip locked)`;

/** Takes the next erasure for one minute, which `keepErasure` extends. Undefined if nothing is due. */
export function claimErasure(db: Db): Promise<Erasure | undefined> {
  const update = db.updateTable('erasures').set({ leased_until: lease });
  return update.where('id', '=', firstDue).returning(columns).executeTakeFirst();
}

export async function keepErasure(db: Db, id: string, orders: number): Promise<void> {
  await sql`update erasures set orders = orders + ${orders}, leased_until = ${lease} where id = ${id}`.execute(db);
}

export async function finishErasure(db: Db, id: string): Promise<void> {
  await sql`update erasures set finished_at = now(), leased_until = null where id = ${id}`.execute(db);
}

/** Gives the erasure back, so that another process can continue it at once. */
export async function releaseErasure(db: Db, id: string): Promise<void> {
  await sql`update erasures set leased_until = null where id = ${id} and finished_at is null`.execute(db);
}
