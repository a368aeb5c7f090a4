import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { type Dimensions, dimensionErrors } from '../base/dimensions.js';
import { conflict, invalid, notFound, preconditionFailed } from '../base/errors.js';
import { newId } from '../base/ids.js';
import type { Centavos } from '../base/money.js';
import type { Listed, Page } from '../base/page.js';
import { nextVersion } from '../db/columns.js';
import type { Db } from '../db/connect.js';
import { uniqueViolation } from '../db/errors.js';
import { readPage } from '../db/lists/read-page.js';
import { ownedBy } from '../db/owned-by.js';
import { row } from '../db/row.js';
import type { Products } from '../db/tables/products.js';

export interface ProductInput {
  /** The shipper's code. It is unique in the account. */
  sku: string;
  name: string;
  /** Default: empty. */
  description?: string | undefined;
  price: Centavos;
  dimensions: Dimensions;
}

export type Product = Selectable<Products>;

/** The columns of a product. Throws VALIDATION_ERROR for `dimensions` that the carrier does not accept. */
function columnsOf({ sku, name, description = '', price, dimensions }: ProductInput) {
  const errors = dimensionErrors(dimensions, 'dimensions');
  if (errors.length > 0) throw invalid(errors);
  const { width, height, length, weight } = dimensions;
  const columns = { sku, name, description, price_centavos: price, width, height, length, weight };
  return columns satisfies Omit<Insertable<Products>, 'id' | 'account_id'>;
}

const seenBy = (actor: Actor) => sql<SqlBool>`deleted_at is null and ${ownedBy(actor, 'account_id')}`;

const isVersion = (versions: readonly number[] | undefined) =>
  versions === undefined ? sql<boolean>`true` : sql<boolean>`version = any(${[...versions]}::bigint[])`;

const skuTaken = () =>
  conflict('sku_taken', 'The account has a product of this SKU.', {
    details: [{ field: 'sku', code: 'taken', message: 'is taken' }],
  });

/** Creates a product. Throws CONFLICT if the account has the SKU, VALIDATION_ERROR for wrong `dimensions`. */
export async function createProduct(db: Db, accountId: string, input: ProductInput): Promise<Product> {
  return db
    .insertInto('products')
    .values(row<'products'>({ id: newId(), account_id: accountId, ...columnsOf(input) }))
    .onConflict((other) => other.columns(['account_id', 'sku']).where('deleted_at', 'is', null).doNothing())
    .returningAll()
    .executeTakeFirstOrThrow(skuTaken);
}

/**
 * Replaces the content of a product if its version is one of `ifMatch`. Throws NOT_FOUND, PRECONDITION_FAILED, and the
 * errors of `createProduct`.
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
  return row ?? absentOrChanged(db, actor, id);
}

/** Deletes a product of the account if its version is one of `ifMatch`. Throws NOT_FOUND, PRECONDITION_FAILED. */
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

async function absentOrChanged(db: Db, actor: Actor, id: string): Promise<never> {
  throw (await getProduct(db, actor, id)) ? preconditionFailed() : notFound('product');
}

export const getProduct = (db: Db, actor: Actor, id: string): Promise<Product | undefined> =>
  db.selectFrom('products').selectAll().where('id', '=', id).where(seenBy(actor)).executeTakeFirst();

/** Lists products, newest first. `search` finds a part of the SKU or of the name, in upper or lower case. */
export function listProducts(
  db: Db,
  actor: Actor,
  { search }: { search?: string | undefined },
  page: Page,
): Promise<Listed<Product>> {
  let query = db.selectFrom('products').where(seenBy(actor));
  if (search !== undefined) query = query.where(holds(search));
  return readPage(db, query.selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc'), page);
}

// strpos has no wildcards, so there is nothing to escape.
const holds = (part: string) =>
  sql<boolean>`(strpos(lower(sku), lower(${part}::text)) > 0 or strpos(lower(name), lower(${part}::text)) > 0)`;

/** Reads the account's own products among `ids`, in no particular order. */
export function productsById(db: Db, accountId: string, ids: readonly string[]): Promise<Product[]> {
  return (
    db
      .selectFrom('products')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('deleted_at', 'is', null)
      // One array parameter keeps the text of the statement the same for any number of ids.
      .where('id', '=', sql<string>`any(${[...new Set(ids)]}::uuid[])`)
      .execute()
  );
}
