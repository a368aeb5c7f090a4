import { sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { notFound, preconditionFailed } from '../base/errors.js';
import { newId } from '../base/ids.js';
import { nextVersion } from '../db/columns.js';
import type { Db } from '../db/connect.js';
import { uniqueViolation } from '../db/errors.js';
import { columnsOf, type Product, type ProductInput, seenBy, skuTaken, toProduct } from './product.js';
import { getProduct } from './queries.js';

/**
 * Creates a product of an account. Throws `CONFLICT` when the account has the SKU, `VALIDATION_ERROR` on `dimensions`.
 */
export async function createProduct(db: Db, accountId: string, input: ProductInput): Promise<Product> {
  const row = await db
    .insertInto('products')
    .values({ id: newId(), account_id: accountId, ...columnsOf(input) })
    .onConflict((other) => other.columns(['account_id', 'sku']).where('deleted_at', 'is', null).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!row) throw skuTaken();
  return toProduct(row);
}

/**
 * Replaces a product's content, if its version is one of `ifMatch`. Throws `NOT_FOUND`, `PRECONDITION_FAILED`,
 * `CONFLICT` when the account has the SKU, `VALIDATION_ERROR` on `dimensions`.
 */
export async function updateProduct(
  db: Db,
  actor: Actor,
  id: string,
  input: ProductInput,
  ifMatch?: readonly number[],
): Promise<Product> {
  const row = await db
    .updateTable('products')
    .set({ ...columnsOf(input), ...nextVersion })
    .where('id', '=', id)
    .where(seenBy(actor))
    .where(isVersion(ifMatch))
    .returningAll()
    .executeTakeFirst()
    .catch((error: unknown) => {
      throw uniqueViolation(error) === 'products_sku_key' ? skuTaken() : error;
    });
  return row ? toProduct(row) : absentOrChanged(db, actor, id);
}

/**
 * Takes a product out of the account, if its version is one of `ifMatch`. Throws `NOT_FOUND`, `PRECONDITION_FAILED`.
 */
export async function deleteProduct(db: Db, actor: Actor, id: string, ifMatch?: readonly number[]): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('products')
    .set({ deleted_at: sql<Date>`now()`, ...nextVersion })
    .where('id', '=', id)
    .where(seenBy(actor))
    .where(isVersion(ifMatch))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) await absentOrChanged(db, actor, id);
}

const isVersion = (versions: readonly number[] | undefined) =>
  versions === undefined ? sql<boolean>`true` : sql<boolean>`version = any(${[...versions]}::bigint[])`;

/** Why no row was changed. */
async function absentOrChanged(db: Db, actor: Actor, id: string): Promise<never> {
  throw (await getProduct(db, actor, id)) ? preconditionFailed() : notFound('product');
}
