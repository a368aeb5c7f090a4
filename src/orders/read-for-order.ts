import { type Selectable, sql } from 'kysely';
import { paymentMethodIds } from '../accounts/payment-methods.js';
import { isId } from '../base/ids.js';
import type { Db } from '../db/connect.js';
import type { RateCards } from '../db/tables.js';
import { productsById } from '../products/queries.js';
import type { OrderInput } from './order.js';
import type { ProductSizes } from './parcel.js';
import { type RateCard, toRateCard } from './rates.js';

/** What the database knows that an order depends on. */
export interface AccountFacts {
  card: RateCard;
  /** The first one first. */
  paymentMethodIds: number[];
  products: ProductSizes;
  /** Whether the account has an order of the externalId. */
  taken: boolean;
}

/** Two statements, or one for an order without items, whatever the number of packages. */
export async function readForOrder(db: Db, accountId: string, input: OrderInput): Promise<AccountFacts> {
  // One after the other: a request that took several connections at once would starve others of them.
  const facts = await readAccount(db, accountId, input.externalId);
  return { ...facts, products: await productSizes(db, accountId, input) };
}

async function readAccount(db: Db, accountId: string, externalId: string | undefined) {
  const { rows } = await sql<Selectable<RateCards> & { payment_method_ids: number[]; taken: boolean }>`
    select
      card.*, ${paymentMethodIds(accountId)} as payment_method_ids,
      exists (select from orders where account_id = ${accountId} and external_id = ${externalId ?? null}) as taken
    from rate_cards card order by version desc limit 1`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('there is no rate card');
  return { card: toRateCard(row), paymentMethodIds: row.payment_method_ids, taken: row.taken };
}

async function productSizes(db: Db, accountId: string, { packages }: OrderInput): Promise<ProductSizes> {
  const wanted = packages.flatMap(({ items = [] }) => items.map(({ productId }) => productId)).filter(isId);
  if (wanted.length === 0) return new Map();
  const products = await productsById(db, accountId, wanted);
  return new Map(products.map(({ id, dimensions }) => [id, dimensions]));
}
