import { sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import type { Db } from '../db/connect.js';
import { ownedBy } from '../db/owned-by.js';

// What a client may name in the place of an id: each takes one look-up in an index, however many orders and packages there are.

type Code = 'tracking_code' | 'barcode';

/** Selects the key of the package, of whatever account, that has the code. */
export const keyOfCode = (column: Code, code: string) =>
  sql<{ loggi_key: string }>`select loggi_key from packages_by_code where ${sql.ref(column)} = ${code}`;

/** The key of that package, if there is one. */
export async function keysOfCode(db: Db, column: Code, code: string): Promise<string[]> {
  const { rows } = await keyOfCode(column, code).execute(db);
  return rows.map(({ loggi_key }) => loggi_key);
}

/** Selects the orders of the external id, one at most of each account that the actor may see: a look-up for each of these accounts. */
export const ordersOfExternalId = (actor: Actor, externalId: string) =>
  sql<{ order_id: string }>`
    select named.order_id from accounts, lateral (
      select order_id from orders_by_external_id own
      where own.account_id = accounts.id and own.external_id = ${externalId} offset 0) named
    where ${ownedBy(actor, 'accounts.id')}`;

/** The ids of these orders. */
export async function orderIdsOf(db: Db, actor: Actor, externalId: string): Promise<string[]> {
  const { rows } = await ordersOfExternalId(actor, externalId).execute(db);
  return rows.map(({ order_id }) => order_id);
}
