import { type Actor, asSeenBy, personOf } from '../base/actor.js';
import { forbidden, notFound } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { lockAccount, nextEpoch, present } from './account.js';
import { lockMember } from './members.js';
import { codeMissing, removeSecondFactor } from './sessions/second-factor.js';

// Lets owners and operators manage the second factors of the people of an account.

/**
 * Removes a lost second factor of another person. Throws FORBIDDEN for the actor's own factor, and for an operator who
 * gave no second factor. Throws NOT_FOUND, and like `lockMember`.
 */
export async function removeFactorOfMember(trx: Db, actor: Actor, id: string): Promise<void> {
  if (id === personOf(actor))
    throw forbidden('own_second_factor', 'Send a code to remove your own second factor, or ask another owner.');
  if (actor.role === 'operator' && !actor.withFactor) throw codeMissing();
  await lockMember(trx, actor, id);
  await removeSecondFactor(trx, id);
}

/** Does the same for an operator, who may also remove the second factor of the account's own sign-in. */
export async function removeFactorOf(trx: Db, actor: Actor, accountId: string, personId: string): Promise<void> {
  if ((await lockAccount(trx, accountId)).role === 'operator') throw notFound('member');
  if (personId !== accountId) await lockMember(trx, asSeenBy(actor, accountId), personId);
  await removeSecondFactor(trx, personId);
}

/** True if everybody who signs in for the account needs a second factor. */
export async function factorRuleOf(db: Db, accountId: string): Promise<boolean> {
  const query = db.selectFrom('accounts').select('factor_required as isRequired').where(present(accountId));
  return (await query.executeTakeFirstOrThrow(() => notFound('user'))).isRequired;
}

/**
 * Demands second factors of everybody in an account, or ends that demand. A new demand ends all tokens and sessions of
 * the account, so nobody continues without a second factor. Throws FORBIDDEN if the owner signed in without one.
 */
export async function setFactorRule(trx: Db, { accountId, withFactor }: Actor, isRequired: boolean): Promise<void> {
  if (isRequired && !withFactor) throw codeMissing();
  await lockAccount(trx, accountId);
  const isNew = isRequired && !(await factorRuleOf(trx, accountId));
  await trx
    .updateTable('accounts')
    .set({ factor_required: isRequired, ...(isNew && nextEpoch) })
    .where('id', '=', accountId)
    .execute();
}
