import { type Selection, sql } from 'kysely';
import { forbidden, notFound } from '../base/errors.js';
import { newId } from '../base/ids.js';
import type { Listed, Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { readPage } from '../db/lists/read-page.js';
import { row } from '../db/row.js';
import type { Database } from '../db/tables/database.js';
import { transaction } from '../db/transaction.js';
import { present } from './account.js';
import { hashOfSecret, newSecret } from './secrets.js';

type NewOperatorKey = Pick<OperatorKey, 'name' | 'scope' | 'createdBy' | 'withFactor'> & { expiresAt: Date };

const PREFIX = 'mok_';

/** True if a bearer token has the prefix of an operator key. A JWT never has it. */
export const looksLikeOperatorKey = (token: string): boolean => token.startsWith(PREFIX);

const columns = [
  'id',
  'name',
  'scope',
  'created_by as createdBy',
  'created_at as createdAt',
  'expires_at as expiresAt',
  // Exact to the minute.
  'last_used_at as lastUsedAt',
  'revoked_at as revokedAt',
  // True if the key's maker had given a second factor, or made the key before 1.4. It keeps working when the maker sets
  // one up.
  'with_factor as withFactor',
] as const;

/**
 * A key for the operator's programs. It acts for the operator who made it. The database revokes it when that account is
 * deleted or is no longer an operator (migration 0007). A change of that operator's password ends it, unless the change
 * keeps keys.
 */
export type OperatorKey = Selection<Database, 'operator_keys', (typeof columns)[number]>;

/** Makes a key. Only this answer shows its secret. Throws FORBIDDEN if its maker is no longer an operator. */
export async function createOperatorKey(db: Db, input: NewOperatorKey): Promise<{ key: OperatorKey; secret: string }> {
  const secret = newSecret(PREFIX);
  const { createdBy, expiresAt, withFactor, ...named } = input;
  const maker = { created_by: createdBy, with_factor: withFactor };
  return transaction(db, async (trx) => {
    await holdOperator(trx, createdBy);
    const key = await trx
      .insertInto('operator_keys')
      .values(
        row<'operator_keys'>({ id: newId(), hash: hashOfSecret(secret), ...named, ...maker, expires_at: expiresAt }),
      )
      .returning(columns)
      .executeTakeFirstOrThrow();
    return { key, secret };
  });
}

/**
 * Locks the operator's account until the transaction ends. So a deletion that revokes all its keys cannot miss this
 * one.
 */
async function holdOperator(trx: Db, id: string): Promise<void> {
  await trx
    .selectFrom('accounts')
    .select('id')
    .where(present(id))
    .where('role', '=', 'operator')
    .forShare()
    .executeTakeFirstOrThrow(() => forbidden('role_not_allowed', 'Only an operator makes operator keys.'));
}

export function getOperatorKey(db: Db, id: string): Promise<OperatorKey> {
  const query = db.selectFrom('operator_keys').select(columns).where('id', '=', id);
  return query.executeTakeFirstOrThrow(() => notFound('operator key'));
}

/** Lists keys, newest first, including revoked and expired ones. `createdBy` selects one operator. */
export function listOperatorKeys(
  db: Db,
  { createdBy }: { createdBy?: string | undefined },
  page: Page,
): Promise<Listed<OperatorKey>> {
  let matching = db.selectFrom('operator_keys');
  if (createdBy !== undefined) matching = matching.where('created_by', '=', createdBy);
  return readPage(db, matching.select(columns).orderBy('created_at', 'desc').orderBy('id', 'desc'), page);
}

export async function revokeKeysOf(db: Db, accountId: string): Promise<void> {
  await db
    .updateTable('operator_keys')
    .set({ revoked_at: sql<Date>`now()` })
    .where('created_by', '=', accountId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Revokes a key on every replica within a second. A second call changes nothing. Throws NOT_FOUND. */
export function revokeOperatorKey(db: Db, id: string): Promise<OperatorKey> {
  return db
    .updateTable('operator_keys')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow(() => notFound('operator key'));
}
