import type { Updateable } from 'kysely';
import type { Actor, Role } from '../base/actor.js';
import { forbidden, notFound, preconditionFailed } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { uniqueViolation } from '../db/errors.js';
import type { Accounts } from '../db/tables-accounts.js';
import { transaction } from '../db/transaction.js';
import {
  type Account,
  accountColumns,
  emailTaken,
  newPassword,
  nextEpoch,
  nextVersion,
  toAccount,
  visible,
} from './account.js';
import { demandOtherOperator, lockOperators } from './operators.js';
import { hashPassword } from './passwords.js';
import { passwordMissing, provePassword, wrongPassword } from './prove-password.js';

/** What is left out stays as it is. */
export interface AccountChange {
  email: string;
  name: string;
  phone: string;
  phoneConfirmed?: boolean | undefined;
  role?: Role | undefined;
  password?: string | undefined;
  /** Needed to change one's own e-mail address, phone or password. */
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
 * Changes an account as contract operation `updateUser` says. A changed password or role ends every token of the account, a changed
 * password its API key too. Throws `NOT_FOUND`, `FORBIDDEN`, `PRECONDITION_FAILED`, `CONFLICT` (e-mail address taken, last operator),
 * `VALIDATION_ERROR` on `currentPassword`, `RATE_LIMITED` after too many wrong ones.
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
  const { newHash, provenHash } = await passwords(db, target, change);
  return (within) =>
    transaction(within, async (trx) => {
      if (actor.role === 'operator' && change.role === 'customer') await lockOperators(trx);
      const account = await changeable(trx, target, change);
      if (needsProof(target, account, change) && provenHash !== account.passwordHash) {
        throw provenHash === undefined ? passwordMissing() : wrongPassword();
      }
      if (account.role === 'operator' && change.role === 'customer') await demandOtherOperator(trx, id);
      return write(trx, account, change, newHash);
    });
}

/** Whether an account changes of itself what it signs in with, or is reached by. */
const needsProof = ({ actor }: Target, account: Account, { email, phone, password }: AccountChange): boolean =>
  actor.accountId === account.id && (password !== undefined || email !== account.email || phone !== account.phone);

interface Passwords {
  newHash?: string;
  /** Hash of the current password that was proven to be known. */
  provenHash?: string;
}

/** Checks the current password and hashes the new one before the transaction, because both take their time. */
async function passwords(db: Db, target: Target, change: AccountChange): Promise<Passwords> {
  const account = await changeable(db, target, change);
  const proof = needsProof(target, account, change);
  if (proof) await provePassword(db, account, change.currentPassword);
  return {
    ...(change.password !== undefined && { newHash: await hashPassword(change.password) }),
    ...(proof && { provenHash: account.passwordHash }),
  };
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
      ...(passwordHash === undefined ? {} : newPassword(passwordHash)),
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
