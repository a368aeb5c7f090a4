import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { type Dimensions, dimensionErrors } from '../base/dimensions.js';
import { conflict, invalid } from '../base/errors.js';
import type { Centavos } from '../base/money.js';
import { ownedBy } from '../db/owned-by.js';
import type { Products } from '../db/tables/database.js';

export interface ProductInput {
  /** The account's own code; unique in the account. */
  sku: string;
  name: string;
  /** Empty when left out. */
  description?: string | undefined;
  price: Centavos;
  dimensions: Dimensions;
}

export interface Product extends ProductInput {
  id: string;
  accountId: string;
  description: string;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

export const toProduct = (row: Selectable<Products>): Product => ({
  id: row.id,
  accountId: row.account_id,
  sku: row.sku,
  name: row.name,
  description: row.description,
  price: Number(row.price_centavos),
  dimensions: { width: row.width, height: row.height, length: row.length, weight: row.weight },
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

type Written = Omit<Insertable<Products>, 'id' | 'account_id'>;

/** The columns of a product's content. Throws `VALIDATION_ERROR` on `dimensions` that the carrier does not take. */
export function columnsOf({ sku, name, description = '', price, dimensions }: ProductInput): Written {
  const errors = dimensionErrors(dimensions, 'dimensions');
  if (errors.length > 0) throw invalid(errors);
  const { width, height, length, weight } = dimensions;
  return { sku, name, description, price_centavos: price, width, height, length, weight };
}

/** Products that the actor may see: an operator all, a customer its account's. */
export const seenBy = (actor: Actor) => sql<SqlBool>`deleted_at is null and ${ownedBy(actor, 'account_id')}`;

export const skuTaken = () =>
  conflict('The account has a product of this SKU.', [{ field: 'sku', message: 'is taken' }]);
