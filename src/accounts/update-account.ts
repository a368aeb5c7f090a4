import type { Actor, Role } from '../base/actor.js';
import { forbidden, invalidField, notFound, preconditionFailed } from '../base/errors.js';
import { nextVersion } from '../db/columns.js';
import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import { type Account, accountColumns, emailConflict, getAccount, newPassword, nextEpoch, visible } from './account.js';
import { provePassword, wrongPassword } from './login-budget.js';
import { keepNamedKeys } from './named-keys.js';
import { revokeKeysOf } from './operator-keys.js';
import { demandOtherOperator, lockOperators } from './operators.js';
import { hashPassword } from './passwords.js';
import { demandProof, reauthenticationRequired, type SecondFactorDeps } from './sessions/second-factor.js';

/** Optional keys that are left out stay as they are. */
export interface AccountChange {
  email: string;
  name: string;
  phone: string;
  phoneConfirmed?: boolean | undefined;
  /** From `accountTaxId`; null takes it away. */
  taxId?: string | null | undefined;
  /** An empty one takes it away. */
  supportContact?: string | undefined;
  role?: Role | undefined;
  password?: string | undefined;
  /** The actor's. */
  currentPassword?: string | undefined;
  /** A code of the actor's second factor. */
  code?: string | undefined;
  /** The operator keys that it made outlive its password. */
  keepOperatorKeys?: boolean | undefined;
  /** Its named API keys outlive its password. */
  keepApiKeys?: boolean | undefined;
}

interface Target {
  actor: Actor;
  id: string;
  ifMatch: readonly number[] | undefined;
}

/**
 * Changes an account as contract operation `updateUser` says, in two steps: this one hashes passwords, which takes its
 * time; the function that it resolves to writes. Both throw `NOT_FOUND`, `FORBIDDEN`, `PRECONDITION_FAILED`, `CONFLICT`
 * (e-mail address taken, last operator), `VALIDATION_ERROR` on `currentPassword` or `code`, `RATE_LIMITED` after ten
 * wrong ones.
 */
export async function prepareUpdate(
  deps: SecondFactorDeps,
  actor: Actor,
  id: string,
  change: AccountChange,
  ifMatch?: readonly number[],
): Promise<(db: Db) => Promise<Account>> {
  const target = { actor, id, ifMatch };
  const { newHash, provenHash, isReauthenticated } = await checkPasswords(deps, target, change);
  return (within) =>
    transaction(within, async (trx) => {
      if (actor.role === 'operator' && change.role === 'customer') await lockOperators(trx);
      const account = await changeable(trx, target, change);
      if (needsProof(target, account, change) && provenHash !== account.passwordHash) {
        throw provenHash === undefined ? passwordMissing() : wrongPassword();
      }
      if (needsReauthentication(target, account, change) && !isReauthenticated) throw reauthenticationRequired();
      if (account.role === 'operator' && change.role === 'customer') await demandOtherOperator(trx, id);
      if (newHash !== undefined && !change.keepOperatorKeys) await revokeKeysOf(trx, id);
      if (change.keepApiKeys) await keepNamedKeys(trx);
      return write(trx, account, change, newHash);
    });
}

/** Changes the actor's own account, in the steps of `prepareUpdate`, and throws as it does. */
export async function prepareOwnChange(
  deps: SecondFactorDeps,
  actor: Actor,
  change: Partial<Pick<AccountChange, 'name' | 'currentPassword' | 'password'>>,
): Promise<(db: Db) => Promise<unknown>> {
  const account = await getAccount(deps.db, actor, actor.accountId);
  if (!account) throw notFound('user');
  const { id, email, name, phone } = account;
  return prepareUpdate(deps, actor, id, { email, name, phone, ...change });
}

/** True for a change of one's own credentials, which takes the present password. */
const needsProof = ({ actor }: Target, account: Account, { email, phone, password }: AccountChange): boolean =>
  actor.accountId === account.id && (password !== undefined || email !== account.email || phone !== account.phone);

/** True for a change by which a stolen token of an operator would last, or become another user's. */
function needsReauthentication({ actor }: Target, account: Account, { role, email, password }: AccountChange): boolean {
  if (role !== undefined && role !== account.role) return true;
  return actor.accountId !== account.id && (password !== undefined || email !== account.email);
}

interface CheckedPasswords {
  newHash?: string;
  provenHash?: string;
  isReauthenticated: boolean;
}

/** Checks the current password and hashes the new one before the transaction, because both take their time. */
async function checkPasswords(
  deps: SecondFactorDeps,
  target: Target,
  change: AccountChange,
): Promise<CheckedPasswords> {
  const account = await changeable(deps.db, target, change);
  const proof = needsProof(target, account, change);
  if (proof) {
    if (change.currentPassword === undefined) throw passwordMissing();
    await provePassword(deps.db, account, change.currentPassword);
  }
  const isReauthenticated = needsReauthentication(target, account, change);
  if (isReauthenticated) await demandProof(deps, target.actor.accountId, change);
  return {
    isReauthenticated,
    ...(change.password !== undefined && { newHash: await hashPassword(change.password) }),
    ...(proof && { provenHash: account.passwordHash }),
  };
}

const passwordMissing = () =>
  invalidField('currentPassword', 'required', 'is required to change your own e-mail address, phone or password');

interface Changeable extends Account {
  passwordHash: string;
}

/** The account as it is now, locked when in a transaction, unless the actor may not make this change to it. */
async function changeable(db: Db, { actor, id, ifMatch }: Target, change: AccountChange): Promise<Changeable> {
  const query = db
    .selectFrom('accounts')
    .select([...accountColumns, 'password_hash as passwordHash'])
    .where(visible(actor, id));
  const reading = db.isTransaction ? query.forUpdate() : query;
  const account = await reading.executeTakeFirstOrThrow(() => notFound('user'));
  const { role = account.role, phoneConfirmed = account.phoneConfirmed } = change;
  const reserved = role !== account.role || phoneConfirmed !== account.phoneConfirmed;
  if (actor.role !== 'operator' && reserved)
    throw forbidden('role_not_allowed', 'Only an operator changes role and phone_confirmed.');
  if (ifMatch && !ifMatch.includes(account.version)) throw preconditionFailed();
  return account;
}

function write(trx: Db, account: Account, change: AccountChange, newHash: string | undefined): Promise<Account> {
  const { role = account.role, phoneConfirmed = account.phoneConfirmed, email, name, phone } = change;
  const { taxId = account.taxId, supportContact = account.supportContact } = change;
  const endsTokens = role !== account.role || newHash !== undefined;
  return trx
    .updateTable('accounts')
    .set({
      email,
      name,
      phone,
      tax_id: taxId,
      support_contact: supportContact || null,
      role,
      phone_confirmed: phone === account.phone && phoneConfirmed,
      ...nextVersion,
      ...(newHash === undefined ? {} : newPassword(newHash)),
      ...(endsTokens ? nextEpoch : {}),
    })
    .where('id', '=', account.id)
    .returning(accountColumns)
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      throw emailConflict(error);
    });
}
