import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Actor, accountSeenBy } from '../base/actor.js';

/** Limits a query to the records that the actor may see. `column` has the account of each record. */
export function ownedBy(
  actor: Actor,
  column: 'id' | 'accounts.id' | 'account_id' | `${string}.account_id`,
): RawBuilder<SqlBool> {
  const accountId = accountSeenBy(actor);
  return accountId === undefined ? sql<SqlBool>`true` : sql<SqlBool>`${sql.ref(column)} = ${accountId}`;
}
