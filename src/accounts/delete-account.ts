import { sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { forbidden, notFound, preconditionFailed } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import { nextEpoch, nextVersion, visible } from './account.js';
import { recordDeletion } from './erasures.js';
import { demandOtherOperator, lockOperators } from './operators.js';

/**
 * Deactivates an account as contract operation `deleteUser` says: its tokens and its API key end, its password's hash is erased, its
 * e-mail address is free, its orders stay. Its endpoints are the caller's to end, in the same transaction (`endEndpointsOf`).
 * Throws `NOT_FOUND`, `FORBIDDEN` (a customer itself), `PRECONDITION_FAILED`, `CONFLICT` (the last operator).
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
      .set({ deleted_at: sql<Date>`now()`, password_hash: '', ...nextVersion, ...nextEpoch })
      .where('id', '=', id)
      .execute();
    await recordDeletion(trx, id);
  });
}
