import type { Updateable } from 'kysely';
import type { Actor } from '../base/actor.js';
import { forbidden, notFound, preconditionFailed } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { uniqueViolation } from '../db/errors.js';
import type { Accounts, Role } from '../db/tables.js';
import { transaction } from '../db/transaction.js';
import { type Account, accountColumns, emailTaken, nextEpoch, nextVersion, toAccount, visible } from './account.js';
import { demandOtherOperator, lockOperators } from './operators.js';
import { hashPassword } from './passwords.js';
import { provePassword, wrongPassword } from './prove-password.js';

/** What is left out stays as it is. */
export interface AccountChange {
  email: string;
  name: string;
  phone: string;
  phoneConfirmed?: boolean | undefined;
  role?: Role | undefined;
  password?: string | undefined;
  /** Needed to change one's own password. */
  currentPassword?: string | undefined;
}

interface Target {
  actor: Actor;
  id: string;
  /** Versions that may be changed; any when undefined. */
  ifMatch: readonly number[] | undefined;
}

type Update = Parameters<typeof prepareUpdate>;

/**
 * Changes an account as contract operation `updateUser` says. A changed password or role ends every token of the account. Throws
 * `NOT_FOUND`, `FORBIDDEN`, `PRECONDITION_FAILED`, `CONFLICT` (e-mail address taken, last operator), `VALIDATION_ERROR` on
 * `currentPassword`, `RATE_LIMITED` when the account's login budget is used up.
 */
export async function updateAccount(...update: Update): Promise<Account> {
  const write = await prepareUpdate(...update);
  return write(update[0]);
}

/** What of `updateAccount` takes its time, the hashing of passwords; the function that it resolves to writes. Both throw like it. */
export async function prepareUpdate(
  db: Db,
  actor: Actor,
  id: string,
  change: AccountChange,
  ifMatch?: readonly number[],
): Promise<(db: Db) => Promise<Account>> {
  const target = { actor, id, ifMatch };
  const password = change.password === undefined ? undefined : await newPassword(db, target, change.password, change);
  return (within) =>
    transaction(within, async (trx) => {
      if (actor.role === 'operator' && change.role === 'customer') await lockOperators(trx);
      const account = await changeable(trx, target, change);
      if (password?.proven !== undefined && password.proven !== account.passwordHash) throw wrongPassword();
      if (account.role === 'operator' && change.role === 'customer') await demandOtherOperator(trx, id);
      return write(trx, account, change, password?.hash);
    });
}

interface NewPassword {
  hash: string;
  /** Hash of the current password that was proven to be known. */
  proven: string | undefined;
}

/** Decides on a new password before the transaction, because hashing takes its time. */
async function newPassword(db: Db, target: Target, password: string, change: AccountChange): Promise<NewPassword> {
  const account = await changeable(db, target, change);
  const own = target.actor.accountId === account.id;
  if (own) await provePassword(db, account, change.currentPassword);
  return { hash: await hashPassword(password), proven: own ? account.passwordHash : undefined };
}

interface Changeable extends Account {
  passwordHash: string;
}

/** The account as it is now, locked when in a transaction, unless the actor may not make this change to it. */
async function changeable(db: Db, { actor, id, ifMatch }: Target, change: AccountChange): Promise<Changeable> {
  const query = db
    .selectFrom('accounts')
    .select([...accountColumns, 'password_hash'])
    .where(visible(actor, id));
  const row = await (db.isTransaction ? query.forUpdate() : query).executeTakeFirst();
  if (!row) throw notFound('user');
  const account = toAccount(row);
  const { role = account.role, phoneConfirmed = account.phoneConfirmed } = change;
  const reserved = role !== account.role || phoneConfirmed !== account.phoneConfirmed;
  if (actor.role !== 'operator' && reserved) throw forbidden('Only an operator changes role and phone_confirmed.');
  if (ifMatch && !ifMatch.includes(account.version)) throw preconditionFailed();
  return { ...account, passwordHash: row.password_hash };
}

async function write(
  trx: Db,
  account: Account,
  change: AccountChange,
  passwordHash: string | undefined,
): Promise<Account> {
  const { role = account.role, phoneConfirmed = account.phoneConfirmed, email, name, phone } = change;
  const endsTokens = role !== account.role || passwordHash !== undefined;
  const columns: Updateable<Accounts> = { email, name, phone, role };
  const row = await trx
    .updateTable('accounts')
    .set({
      ...columns,
      phone_confirmed: phone === account.phone && phoneConfirmed,
      ...nextVersion,
      ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
      ...(endsTokens ? nextEpoch : {}),
    })
    .where('id', '=', account.id)
    .returning(accountColumns)
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      throw uniqueViolation(error) === 'accounts_email_key' ? emailTaken() : error;
    });
  return toAccount(row);
}
