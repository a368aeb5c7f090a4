import { type Expression, type SqlBool, sql } from 'kysely';
import { conflict, notFound } from '../base/errors.js';
import { type Listed, offsetOf, type Page } from '../base/page.js';
import type { Db } from '../db/connect.js';

/** How far the erasure of an account is. */
export interface ErasureState {
  id: string;
  deletedAt: Date | null;
  heldAt: Date | null;
  erasedAt: Date | null;
}

/**
 * Keeps the personal data of an account from being erased, whether it is deleted already or will be. Holding it again changes
 * nothing. Throws NOT_FOUND; CONFLICT when it is erased already.
 */
export function holdAccount(db: Db, id: string): Promise<ErasureState> {
  return setHold(db, id, sql<Date>`coalesce(held_at, now())`);
}

/** Ends a hold; an account that was deleted long enough ago is then erased. Throws NOT_FOUND, CONFLICT like `holdAccount`. */
export function releaseAccount(db: Db, id: string): Promise<ErasureState> {
  return setHold(db, id, sql<null>`null`);
}

async function setHold(db: Db, id: string, heldAt: Expression<Date | null>): Promise<ErasureState> {
  const row = await db
    .updateTable('accounts')
    .set({ held_at: sql<Date | null>`case when erased_at is null then ${heldAt}::timestamptz end` })
    .where('id', '=', id)
    .returning(['deleted_at', 'held_at', 'erased_at'])
    .executeTakeFirst();
  if (!row) throw notFound('user');
  if (row.erased_at) throw conflict('The personal data of the user is erased already.');
  return { id, deletedAt: row.deleted_at, heldAt: row.held_at, erasedAt: row.erased_at };
}

/** A deleted account whose personal data is still there. */
export interface UnerasedAccount {
  id: string;
  email: string;
  name: string;
  deletedAt: Date;
  heldAt: Date | null;
}

/** Deleted accounts that are not erased, the latest deleted first; all or those of an e-mail address, in any case. */
export async function listUnerased(db: Db, email: string | undefined, page: Page): Promise<Listed<UnerasedAccount>> {
  const matching: Expression<SqlBool> = sql<boolean>`
    deleted_at is not null and erased_at is null
    and (${email ?? null}::text is null or lower(email) = lower(${email ?? null}::text))`;
  const { rows } = await sql<UnerasedAccount>`
    select id, email, name, deleted_at as "deletedAt", held_at as "heldAt" from accounts where ${matching}
    order by deleted_at desc, id desc limit ${page.pageSize} offset ${offsetOf(page)}`.execute(db);
  const count = db.selectFrom('accounts').select(({ fn }) => fn.countAll<string>().as('total'));
  const { total } = await count.where(matching).executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}
