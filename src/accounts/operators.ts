import { sql } from 'kysely';
import { conflict } from '../base/errors.js';
import type { Db } from '../db/connect.js';

/**
 * Whoever may change how many operators there are goes through here one after the other, until the end of his transaction, and
 * before he locks any account: two operators who delete each other cannot both succeed.
 */
export async function lockOperators(trx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('operators', 0))`.execute(trx);
}

/** Whether there is an operator besides the one of that id. */
export async function hasOperator(db: Db, besides?: string): Promise<boolean> {
  let query = db
    .selectFrom('accounts')
    .select('id')
    .where('role', '=', 'operator')
    .where('deleted_at', 'is', null)
    .limit(1);
  if (besides !== undefined) query = query.where('id', '!=', besides);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Throws `CONFLICT` when the account is the last operator. Needs `lockOperators`. */
export async function demandOtherOperator(trx: Db, besides: string): Promise<void> {
  if (!(await hasOperator(trx, besides))) throw conflict('The last operator stays: there must be another one first.');
}
