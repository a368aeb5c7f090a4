import { type Actor, asSeenBy, personOf } from '../base/actor.js';
import { forbidden, notFound } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { lockAccount, nextEpoch, present } from './account.js';
import { lockMember } from './members.js';
import { codeMissing, removeSecondFactor } from './sessions/second-factor.js';

// Second factors of the people of an account, in the hands of its owners and of operators.

/**
 * Removes a lost second factor of another person. Throws FORBIDDEN for one's own, and to an operator who gave no second
 * factor; NOT_FOUND, and as `lockMember`.
 */
export async function removeFactorOfMember(trx: Db, actor: Actor, id: string): Promise<void> {
  if (id === personOf(actor))
    throw forbidden('own_second_factor', 'Send a code to remove your own second factor, or ask another owner.');
  if (actor.role === 'operator' && !actor.withFactor) throw codeMissing();
  await lockMember(trx, actor, id);
  await removeSecondFactor(trx, id);
}

/** The same for an operator, who removes that of a customer's own sign-in, too. */
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
 * Demands second factors, or demands them no more. A new demand ends all tokens and sessions of the account, so nobody
 * goes on without a second factor. Throws FORBIDDEN to an owner who demands what they do not have.
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
