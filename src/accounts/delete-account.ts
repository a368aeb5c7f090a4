import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { conflict, forbidden, notFound, preconditionFailed, ServiceError } from '../base/errors.js';
import type { KeyRing } from '../base/keys.js';
import type { Listed, Page } from '../base/page.js';
import { nextVersion } from '../db/columns.js';
import type { Db } from '../db/connect.js';
import { eraseRows } from '../db/erase.js';
import { readPage } from '../db/read-page.js';
import { transaction } from '../db/transaction.js';
import { removeAnswersTo, toOperators, withdrawAnswers } from '../idempotency/stored-answers.js';
import { nextEpoch, visible } from './account.js';
import { recordDeletion } from './erasures.js';
import { clearBudgets } from './login-budget.js';
import { demandOtherOperator, lockOperators } from './operators.js';
import { forgetSecondFactor } from './sessions/second-factor.js';

/**
 * Deactivates an account as contract operation `deleteUser` says: its tokens and its API key end, its password's hash
 * is erased, its e-mail address is free, its orders stay. Its endpoints are the caller's to end, in the same
 * transaction (`endEndpointsOf`). Throws `NOT_FOUND`, `FORBIDDEN` (a customer itself), `PRECONDITION_FAILED`,
 * `CONFLICT` (the last operator).
 */
export async function deleteAccount(db: Db, actor: Actor, id: string, ifMatch?: readonly number[]): Promise<void> {
  await transaction(db, async (trx) => {
    await lockOperators(trx);
    const query = trx.selectFrom('accounts').select(['role', 'version']).where(visible(actor, id)).forUpdate();
    const account = await query.executeTakeFirst();
    if (!account) throw notFound('user');
    if (actor.role !== 'operator') throw forbidden('Only an operator deletes users.');
    if (ifMatch && !ifMatch.includes(account.version)) throw preconditionFailed();
    if (account.role === 'operator') await demandOtherOperator(trx, id);
    await trx
      .updateTable('accounts')
      .set({ deleted_at: sql<Date>`now()`, ...nextVersion, ...nextEpoch })
      .where('id', '=', id)
      .execute();
    await forgetCredentials(trx, id);
  });
}

export interface ErasureState {
  id: string;
  deletedAt: Date | null;
  heldAt: Date | null;
  erasedAt: Date | null;
}

/**
 * Keeps the personal data of an account from being erased, whether it is deleted already or will be. Holding it again
 * changes nothing. Throws NOT_FOUND; CONFLICT when it is erased already.
 */
export function holdAccount(db: Db, id: string): Promise<ErasureState> {
  return setHold(db, id, sql<Date>`coalesce(held_at, now())`);
}

/**
 * Ends a hold; an account that was deleted long enough ago is then erased. Throws NOT_FOUND, CONFLICT like
 * `holdAccount`.
 */
export function releaseAccount(db: Db, id: string): Promise<ErasureState> {
  return setHold(db, id, sql<null>`null`);
}

async function setHold(db: Db, id: string, heldAt: RawBuilder<Date | null>): Promise<ErasureState> {
  const state = await db
    .updateTable('accounts')
    .set({ held_at: sql<Date | null>`case when erased_at is null then ${heldAt}::timestamptz end` })
    .where('id', '=', id)
    .returning(['id', 'deleted_at as deletedAt', 'held_at as heldAt', 'erased_at as erasedAt'])
    .executeTakeFirst();
  if (!state) throw notFound('user');
  if (state.erasedAt) throw conflict('The personal data of the user is erased already.');
  return state;
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
export function listUnerased(db: Db, email: string | undefined, page: Page): Promise<Listed<UnerasedAccount>> {
  let matching = db.selectFrom('accounts').where('deleted_at', 'is not', null).where('erased_at', 'is', null);
  if (email !== undefined) matching = matching.where(sql`lower(email)`, '=', sql`lower(${email}::text)`);
  const latest = matching
    .select(['id', 'email', 'name', sql<Date>`deleted_at`.as('deletedAt'), 'held_at as heldAt'])
    .orderBy('deleted_at', 'desc')
    .orderBy('id', 'desc');
  return readPage(db, latest, page);
}

/**
 * Erases what names the holder of a deleted account: name, e-mail address, phone, the labels of its payment methods and
 * the failed logins counted for its address. The account's id stays, for its orders. Erasing it again changes nothing.
 * Throws NOT_FOUND; CONFLICT while the account is not deleted, or held.
 */
export async function eraseAccount(db: Db, id: string): Promise<ErasureState> {
  return transaction(db, async (trx) => {
    const query = trx.selectFrom('accounts').select(['email', 'deleted_at', 'held_at', 'erased_at']);
    const account = await query.where('id', '=', id).forUpdate().executeTakeFirst();
    if (!account) throw notFound('user');
    const { email, deleted_at: deletedAt, held_at: heldAt } = account;
    if (!deletedAt) throw conflict('The user is not deleted: delete it first.');
    if (account.erased_at) return { id, deletedAt, heldAt, erasedAt: account.erased_at };
    if (heldAt) throw conflict('The user is held: release it first.');
    await recordDeletion(trx, id);
    const erasedAt = await overwrite(trx, id, email);
    return { id, deletedAt, heldAt, erasedAt };
  });
}

/** Erases a deleted account, or leaves it as it is when the operator holds it. */
export async function eraseUnlessHeld(db: Db, id: string): Promise<void> {
  await eraseAccount(db, id).catch((error: unknown) => {
    if (!(error instanceof ServiceError && error.code === 'CONFLICT')) throw error;
  });
}

async function overwrite(trx: Db, id: string, email: string): Promise<Date | null> {
  for (const table of ['payment_methods', 'sign_in_networks'] as const) {
    await eraseRows(trx, table, 'account', sql`account_id = ${id}`);
  }
  // Another account may have the address by now: its window of failed logins begins anew, which does no harm.
  await clearBudgets(trx, { id, email });
  // A process of an earlier version may have deleted the account.
  await forgetSecondFactor(trx, id);
  await eraseRows(trx, 'accounts', 'account', sql`id = ${id}`);
  const { erased_at } = await trx
    .updateTable('accounts')
    .set({ erased_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returning('erased_at')
    .executeTakeFirstOrThrow();
  return erased_at;
}

const BATCH = 20;

/**
 * Deleted accounts that have no record of it, at most 20: they were deleted by an older version, and still have a
 * password's hash and endpoints.
 */
export async function unrecordedDeletions(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from accounts account
    where deleted_at is not null and erased_at is null
      and not exists (select from erasures where account_id = account.id)
    order by deleted_at limit ${BATCH}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Accounts that were deleted so many days ago, and are neither held nor erased, at most 20. */
export async function dueErasures(db: Db, afterDays: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from accounts
    where deleted_at is not null and erased_at is null and held_at is null
      and deleted_at <= now() - make_interval(days => ${afterDays}::integer)
    order by deleted_at limit ${BATCH}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Erases the credentials of a deleted account, which it has no use for, and records the deletion. */
export async function forgetCredentials(trx: Db, id: string): Promise<void> {
  await eraseRows(trx, 'accounts', 'deletion', sql`id = ${id} and deleted_at is not null`);
  await forgetSecondFactor(trx, id);
  await recordDeletion(trx, id);
}

/** Operations whose answers show at most the id and times of an account. */
const showNoPerson = ['recordMovements', 'eraseRecipients', 'eraseUser', 'holdUser', 'releaseUser', 'rotateApiKey'];

/**
 * Erases what answers stored for idempotency keys show of a deleted account: those of operators that name it are
 * withdrawn, and up to 1 000 of its own removed (`removeAnswersTo`).
 */
export async function eraseAnswersAbout(db: Db, keys: KeyRing, accountId: string): Promise<void> {
  await removeAnswersTo(db, accountId);
  const showPersons = sql`${toOperators} and operation <> all(${showNoPerson}::text[])`;
  await withdrawAnswers(db, keys, showPersons, new Set([accountId]));
}
