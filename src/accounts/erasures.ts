import { type Selectable, sql } from 'kysely';
import { notFound } from '../base/errors.js';
import { isId, newId } from '../base/ids.js';
import type { Listed, Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { readPage } from '../db/read-page.js';
import type { Erasures } from '../db/tables/accounts.js';

/**
 * The record of erasures: what a database restored from a backup must erase again, and the work that is still to be
 * done. It holds ids and times only.
 */
export interface Erasure {
  id: string;
  kind: Erasures['kind'];
  accountId: string | null;
  /** Orders finished before it have lost their recipients. */
  before: Date | null;
  requestedAt: Date;
  orders: number;
  finishedAt: Date | null;
}

const columns = ['id', 'kind', 'account_id', 'before', 'requested_at', 'orders', 'finished_at'] as const;

type ErasureRow = Pick<Selectable<Erasures>, (typeof columns)[number]>;

const toErasure = (row: ErasureRow): Erasure => ({
  id: row.id,
  kind: row.kind,
  accountId: row.account_id,
  before: row.before,
  requestedAt: row.requested_at,
  orders: row.orders,
  finishedAt: row.finished_at,
});

/** Notes that an account was deleted, and that its personal data is to be erased; once for each account. */
export async function recordDeletion(trx: Db, accountId: string): Promise<void> {
  await sql`
    insert into erasures (id, kind, account_id, requested_at)
    select ${newId()}, 'account', id, deleted_at from accounts where id = ${accountId}
    on conflict (account_id) do nothing`.execute(trx);
}

/** Requests that orders finished before a time lose their recipients. */
export async function requestRecipientErasure(db: Db, before: Date): Promise<Erasure> {
  const values = { id: newId(), kind: 'recipients' as const, before };
  return toErasure(await db.insertInto('erasures').values(values).returning(columns).executeTakeFirstOrThrow());
}

/**
 * Requests it unless an erasure of this time or a later one was requested: any number of processes call this, each day.
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
  return toErasure(row);
}

/** Newest first. */
export async function listErasures(db: Db, page: Page): Promise<Listed<Erasure>> {
  const newest = db.selectFrom('erasures').select(columns).orderBy('requested_at', 'desc').orderBy('id', 'desc');
  const { rows, total } = await readPage(db, newest, page);
  return { rows: rows.map(toErasure), total };
}

const lease = sql<Date>`now() + interval '1 minute'`;

/**
 * Takes an erasure to work at, for a minute that `keepErasure` makes longer; undefined when nothing is due. That of an
 * account begins when the account itself has lost its personal data.
 */
export async function claimErasure(db: Db): Promise<Erasure | undefined> {
  const { rows } = await sql<ErasureRow>`
    update erasures set leased_until = ${lease} where id = (
      select e.id from erasures e left join accounts a on a.id = e.account_id
      where e.finished_at is null and (e.leased_until is null or e.leased_until < now())
        and (e.kind = 'recipients' or a.erased_at is not null)
      order by e.requested_at limit 1 for update of e skip locked)
    returning ${sql.join(columns.map((name) => sql.ref(name)))}`.execute(db);
  return rows[0] && toErasure(rows[0]);
}

/** Counts what was done, and keeps the erasure for a further minute. */
export async function keepErasure(db: Db, id: string, orders: number): Promise<void> {
  await sql`update erasures set orders = orders + ${orders}, leased_until = ${lease} where id = ${id}`.execute(db);
}

export async function finishErasure(db: Db, id: string): Promise<void> {
  await sql`update erasures set finished_at = now(), leased_until = null where id = ${id}`.execute(db);
}

/** Lets another process go on with it at once. */
export async function releaseErasure(db: Db, id: string): Promise<void> {
  await sql`update erasures set leased_until = null where id = ${id} and finished_at is null`.execute(db);
}
