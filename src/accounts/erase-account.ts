import { sql } from 'kysely';
import { erased } from '../base/erased.js';
import { conflict, notFound, ServiceError } from '../base/errors.js';
import type { KeyRing } from '../base/seal.js';
import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import { removeAnswersTo, toOperators, withdrawAnswers } from '../http/idempotency/stored-answers.js';
import { recordDeletion } from './erasures.js';
import { clearBudgets } from './login-budget.js';

/** A deleted account, as far as its erasure goes. */
export interface DeletedAccount {
  id: string;
  deletedAt: Date;
  heldAt: Date | null;
  erasedAt: Date | null;
}

/**
 * Erases what names the holder of a deleted account: name, e-mail address, phone, the labels of its payment methods and the
 * failed logins counted for its address. The account's id stays, for its orders. Erasing it again changes nothing. Throws
 * NOT_FOUND; CONFLICT while the account is not deleted, or held.
 */
export async function eraseAccount(db: Db, id: string): Promise<DeletedAccount> {
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
  await trx.updateTable('payment_methods').set({ label: erased.text }).where('account_id', '=', id).execute();
  // Another account may have the address by now: its window of failed logins begins anew, which does no harm.
  await clearBudgets(trx, { id, email });
  await trx.deleteFrom('sign_in_networks').where('account_id', '=', id).execute();
  const { erased_at } = await trx
    .updateTable('accounts')
    .set({
      name: erased.text,
      email: erased.email(id),
      phone: erased.phone,
      phone_confirmed: false,
      password_hash: '',
      erased_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .returning('erased_at')
    .executeTakeFirstOrThrow();
  return erased_at;
}

const BATCH = 20;

/**
 * Deleted accounts that have no record of it, at most 20: they were deleted by an older version, and still have a password's hash
 * and endpoints.
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

/** Erases the password's hash, which a deleted account has no use for, and records the deletion. */
export async function forgetCredentials(trx: Db, id: string): Promise<void> {
  await trx
    .updateTable('accounts')
    .set({ password_hash: '' })
    .where('id', '=', id)
    .where('deleted_at', 'is not', null)
    .execute();
  await recordDeletion(trx, id);
}

/** Answers to operators that show ids and times of an account at most, or nothing of it. */
const showNothing = ['recordMovements', 'eraseRecipients', 'eraseUser', 'holdUser', 'releaseUser', 'rotateApiKey'];

/**
 * Erases what answers kept for idempotency keys show of a deleted account: those of operators that name it are withdrawn, and up to
 * 1 000 of its own removed (`removeAnswersTo`).
 */
export async function eraseAnswersAbout(db: Db, keys: KeyRing, accountId: string): Promise<void> {
  await removeAnswersTo(db, accountId);
  const shown = sql`${toOperators} and operation <> all(${showNothing}::text[])`;
  await withdrawAnswers(db, keys, shown, new Set([accountId]));
}
