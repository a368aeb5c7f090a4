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

/** The wanted changes. A missing optional field stays unchanged. */
export interface AccountChange {
  email: string;
  name: string;
  phone: string;
  phoneConfirmed?: boolean | undefined;
  /** Comes from `accountTaxId`. Null removes the tax id. */
  taxId?: string | null | undefined;
  /** An empty text removes the contact. */
  supportContact?: string | undefined;
  role?: Role | undefined;
  password?: string | undefined;
  /** The current password of the actor. */
  currentPassword?: string | undefined;
  /** A code of the actor's second factor. */
  code?: string | undefined;
  /** True to keep the operator keys that the account made when its password changes. */
  keepOperatorKeys?: boolean | undefined;
  /** True to keep the named API keys of the account when its password changes. */
  keepApiKeys?: boolean | undefined;
}

interface Target {
  actor: Actor;
  id: string;
  ifMatch: readonly number[] | undefined;
}

/**
 * Changes an account as the contract's operation `updateUser` says. This step hashes passwords, which is slow; the
 * returned function writes. Both throw `NOT_FOUND`, `FORBIDDEN`, `PRECONDITION_FAILED`, `CONFLICT` (e-mail address
 * taken, last operator), `VALIDATION_ERROR` on `currentPassword` or `code`, and `RATE_LIMITED` after ten wrong
 * passwords or codes.
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

/** Changes the actor's own account in the two steps of `prepareUpdate`. Throws like it. */
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

/** True if actors change their own credentials. This needs the current password. */
const needsProof = ({ actor }: Target, account: Account, { email, phone, password }: AccountChange): boolean =>
  actor.accountId === account.id && (password !== undefined || email !== account.email || phone !== account.phone);

/** True for changes that would help a thief of an operator's token: a new role, or another user's credentials. */
function needsReauthentication({ actor }: Target, account: Account, { role, email, password }: AccountChange): boolean {
  if (role !== undefined && role !== account.role) return true;
  return actor.accountId !== account.id && (password !== undefined || email !== account.email);
}

interface CheckedPasswords {
  newHash?: string;
  provenHash?: string;
  isReauthenticated: boolean;
}

/** Checks the current password and hashes the new one. Both are slow, so they run before the transaction. */
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

/** Reads the account, and locks it within a transaction. Throws if the actor may not make this change. */
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
