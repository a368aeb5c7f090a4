import { sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import type { Listed, Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { readPage } from '../db/read-page.js';
import { type Product, seenBy, toProduct } from './product.js';

/** The product, if it is there and the actor may see it. */
export async function getProduct(db: Db, actor: Actor, id: string): Promise<Product | undefined> {
  const query = db.selectFrom('products').selectAll().where('id', '=', id).where(seenBy(actor));
  const row = await query.executeTakeFirst();
  return row && toProduct(row);
}

/** Products that the actor may see, newest first. `search` is a part of the SKU or of the name, in any case. */
export async function listProducts(
  db: Db,
  actor: Actor,
  { search }: { search?: string | undefined },
  page: Page,
): Promise<Listed<Product>> {
  let query = db.selectFrom('products').where(seenBy(actor));
  if (search !== undefined) query = query.where(holds(search));
  const newest = query.selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc');
  const { rows, total } = await readPage(db, newest, page);
  return { rows: rows.map(toProduct), total };
}

// strpos knows no wildcards, so there is nothing to escape.
const holds = (part: string) =>
  sql<boolean>`(strpos(lower(sku), lower(${part}::text)) > 0 or strpos(lower(name), lower(${part}::text)) > 0)`;

/**
 * The account's own products among `ids`, in no particular order; those that are deleted or another account's are left
 * out.
 */
export async function productsById(db: Db, accountId: string, ids: readonly string[]): Promise<Product[]> {
  // One array parameter: the statement's text stays the same for any number of ids.
  const query = db
    .selectFrom('products')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .where('id', '=', sql<string>`any(${[...new Set(ids)]}::uuid[])`);
  return (await query.execute()).map(toProduct);
}
