import { type RawBuilder, type Selection, sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { conflict, forbidden, notFound, preconditionFailed, ServiceError } from '../base/errors.js';
import type { Page } from '../base/page.js';
import type { KeyRing } from '../base/secrets/keys.js';
import { nextVersion } from '../db/columns.js';
import type { Db } from '../db/connect.js';
import { eraseRows } from '../db/erase.js';
import { readPage } from '../db/lists/read-page.js';
import type { Database } from '../db/tables/database.js';
import { transaction } from '../db/transaction.js';
import { removeAnswersTo, toOperators, withdrawAnswers } from '../idempotency/stored-answers.js';
import { type Account, accountColumns, emailConflict, emailTaken, newPassword, nextEpoch, visible } from './account.js';
import { recordDeletion } from './erasures.js';
import { clearBudgets } from './login-budget.js';
import { endMembersOf } from './members.js';
import { demandOtherOperator, lockOperators } from './operators.js';
import { hashPassword } from './passwords.js';
import { forgetSecondFactor } from './sessions/second-factor.js';

/**
 * Deactivates an account, as the contract's operation `deleteUser` says. The caller must end its endpoints in the same
 * transaction (`endEndpointsOf`). Throws `NOT_FOUND`, `FORBIDDEN` (a customer deletes itself), `PRECONDITION_FAILED`,
 * `CONFLICT` (the last operator).
 */
export async function deleteAccount(db: Db, actor: Actor, id: string, ifMatch?: readonly number[]): Promise<void> {
  await transaction(db, async (trx) => {
    await lockOperators(trx);
    const query = trx.selectFrom('accounts').select(['role', 'version']).where(visible(actor, id)).forUpdate();
    const account = await query.executeTakeFirstOrThrow(() => notFound('user'));
    if (actor.role !== 'operator') throw forbidden('role_not_allowed', 'Only an operator deletes users.');
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

/**
 * Reactivates a deleted account with another password, as the contract's operation `reactivateUser` says. It has two
 * steps like `prepareUpdate`. Endpoints, keys and tokens that ended with the account stay ended. Both steps throw
 * `NOT_FOUND` (also for an erased account) and `CONFLICT` (not deleted, e-mail address taken).
 */
export async function prepareReactivation(db: Db, id: string, password: string): Promise<(db: Db) => Promise<Account>> {
  await demandDeleted(db, id);
  const passwordHash = await hashPassword(password);
  return (within) =>
    transaction(within, async (trx) => {
      await demandDeleted(trx, id);
      // Otherwise a database that is restored from a backup would delete the account again.
      await trx.deleteFrom('erasures').where('account_id', '=', id).execute();
      return returned(trx, id, passwordHash);
    });
}

async function demandDeleted(db: Db, id: string): Promise<void> {
  const query = db.selectFrom('accounts').select(['deleted_at', 'erased_at', 'email']).where('id', '=', id);
  const reading = db.isTransaction ? query.forUpdate() : query;
  const account = await reading.executeTakeFirst();
  if (!account || account.erased_at) throw notFound('user');
  if (!account.deleted_at) throw conflict('account_not_deleted', 'The user is not deleted.');
  const other = db.selectFrom('accounts').select('id').where(sql`lower(email)`, '=', account.email.toLowerCase());
  if (await other.where('deleted_at', 'is', null).executeTakeFirst()) throw emailTaken();
}

const returned = (trx: Db, id: string, passwordHash: string): Promise<Account> =>
  trx
    .updateTable('accounts')
    .set({ deleted_at: null, previous_key_until: null, ...newPassword(passwordHash), ...nextVersion, ...nextEpoch })
    .where('id', '=', id)
    .returning(accountColumns)
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      throw emailConflict(error);
    });

const stateColumns = ['id', 'deleted_at as deletedAt', 'held_at as heldAt', 'erased_at as erasedAt'] as const;

export type ErasureState = Selection<Database, 'accounts', (typeof stateColumns)[number]>;

/**
 * Protects the personal data of a deleted account from erasure. Throws NOT_FOUND, and CONFLICT if it is already erased.
 */
export const holdAccount = (db: Db, id: string) => setHold(db, id, sql<Date>`coalesce(held_at, now())`);

/** Ends a hold. The account is then erased if it was deleted long enough ago. Throws like `holdAccount`. */
export const releaseAccount = (db: Db, id: string) => setHold(db, id, sql<null>`null`);

async function setHold(db: Db, id: string, heldAt: RawBuilder<Date | null>): Promise<ErasureState> {
  const state = await db
    .updateTable('accounts')
    .set({ held_at: sql<Date | null>`case when erased_at is null then ${heldAt}::timestamptz end` })
    .where('id', '=', id)
    .returning(stateColumns)
    .executeTakeFirstOrThrow(() => notFound('user'));
  if (state.erasedAt) throw conflict('account_erased', 'The personal data of the user is erased already.');
  return state;
}

export type UnerasedAccount = Awaited<ReturnType<typeof listUnerased>>['rows'][number];

/** Lists deleted accounts that are not erased, latest deletion first. `email` selects one address; case is ignored. */
export function listUnerased(db: Db, email: string | undefined, page: Page) {
  let matching = db.selectFrom('accounts').where('deleted_at', 'is not', null).where('erased_at', 'is', null);
  if (email !== undefined) matching = matching.where(sql`lower(email)`, '=', sql`lower(${email}::text)`);
  const latest = matching
    .select(['id', 'email', 'name', sql<Date>`deleted_at`.as('deletedAt'), 'held_at as heldAt'])
    .orderBy('deleted_at', 'desc')
    .orderBy('id', 'desc');
  return readPage(db, latest, page);
}

/**
 * Erases the personal data of a deleted account. Its id stays, because orders refer to it. A second call changes
 * nothing. Throws NOT_FOUND, and CONFLICT if the account is not deleted or is held.
 */
export async function eraseAccount(db: Db, id: string): Promise<ErasureState> {
  return transaction(db, async (trx) => {
    const query = trx
      .selectFrom('accounts')
      .select([...stateColumns, 'email'])
      .where('id', '=', id)
      .forUpdate();
    const { email, ...state } = await query.executeTakeFirstOrThrow(() => notFound('user'));
    if (!state.deletedAt) throw conflict('account_not_deleted', 'The user is not deleted: delete it first.');
    if (state.erasedAt) return state;
    if (state.heldAt) throw conflict('account_held', 'The user is held: release it first.');
    await recordDeletion(trx, id);
    return overwrite(trx, id, email);
  });
}

/** Erases a deleted account. Does nothing if the operator holds it. */
export async function eraseUnlessHeld(db: Db, id: string): Promise<void> {
  await eraseAccount(db, id).catch((error: unknown) => {
    if (!(error instanceof ServiceError && error.code === 'CONFLICT')) throw error;
  });
}

async function overwrite(trx: Db, id: string, email: string): Promise<ErasureState> {
  for (const table of ['members', 'brands', 'presets', 'payment_methods', 'sign_in_networks', 'rate_tables'] as const) {
    await eraseRows(trx, table, 'account', sql`account_id = ${id}`);
  }
  // Another account may use the address by now. Its count of failed logins then restarts, which does no harm.
  await clearBudgets(trx, { id, email });
  // A process of an earlier version may have deleted the account without this.
  await forgetKeys(trx, id);
  await eraseRows(trx, 'accounts', 'account', sql`id = ${id}`);
  const update = trx.updateTable('accounts').set({ erased_at: sql<Date>`now()` });
  return update.where('id', '=', id).returning(stateColumns).executeTakeFirstOrThrow();
}

const BATCH = 20;

/**
 * Deleted accounts without a recorded deletion, at most 20. An older version deleted them and left the password's hash
 * and endpoints.
 */
export const unrecordedDeletions = (db: Db): Promise<string[]> =>
  unerasedWhere(db, sql`not exists (select from erasures where account_id = account.id)`);

/** Accounts to erase, at most 20: deleted at least `afterDays` days ago, not held, not erased. */
export const dueErasures = (db: Db, afterDays: number): Promise<string[]> =>
  unerasedWhere(db, sql`held_at is null and deleted_at <= now() - make_interval(days => ${afterDays}::integer)`);

async function unerasedWhere(db: Db, condition: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from accounts account where deleted_at is not null and erased_at is null and ${condition}
    order by deleted_at limit ${BATCH}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Erases the credentials of a deleted account and records the deletion. */
export async function forgetCredentials(trx: Db, id: string): Promise<void> {
  await eraseRows(trx, 'accounts', 'deletion', sql`id = ${id} and deleted_at is not null`);
  await forgetKeys(trx, id);
  await recordDeletion(trx, id);
}

async function forgetKeys(trx: Db, id: string): Promise<void> {
  await forgetSecondFactor(trx, id);
  await endMembersOf(trx, id);
  await eraseRows(trx, 'api_keys', 'deletion', sql`account_id = ${id}`);
}

/** Operations whose answers contain only the id and times of an account, so they need no withdrawal. */
const showNoPerson = ['recordMovements', 'eraseRecipients', 'eraseUser', 'holdUser', 'releaseUser', 'rotateApiKey'];

/**
 * Withdraws stored answers to operators that name a deleted account. Also removes up to 1 000 answers to that account.
 */
export async function eraseAnswersAbout(db: Db, keys: KeyRing, accountId: string): Promise<void> {
  await removeAnswersTo(db, accountId);
  const showPersons = sql`${toOperators} and operation <> all(${showNoPerson}::text[])`;
  await withdrawAnswers(db, keys, showPersons, new Set([accountId]));
}
