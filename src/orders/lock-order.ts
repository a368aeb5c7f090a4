import { sql, type UpdateObject } from 'kysely';
import type { Actor } from '../base/actor.js';
import { notFound } from '../base/errors.js';
import { isId } from '../base/ids.js';
import type { Db } from '../db/connect.js';
import { inPartitionsOf } from '../db/near.js';
import { ownedBy } from '../db/owned-by.js';
import type { Database, OrderStatus } from '../db/tables/database.js';
import { getOrder, type Order } from './order.js';

/**
 * Locks an order by locking all its packages, in the order of their keys: an order changes only together with one of
 * them. The statement reads only the keys, because a row that waited for its lock is not joined again. Throws
 * NOT_FOUND.
 * Model: Movements!LockPackage (lab/models)
 */
export async function lockOrder(trx: Db, actor: Actor, id: string): Promise<{ status: OrderStatus; version: number }> {
  if (!isId(id)) throw notFound('order');
  const packages = await trx
    .selectFrom('packages')
    .select('loggi_key')
    .where('order_id', '=', id)
    .where(inPartitionsOf('loggi_key', [id]))
    .where(ownedBy(actor, 'account_id'))
    .orderBy('loggi_key')
    .forNoKeyUpdate()
    .execute();
  if (packages.length === 0) throw notFound('order');
  return trx
    .selectFrom('orders')
    .select(['status', 'version'])
    .where('id', '=', id)
    .where(inPartitionsOf('id', [id]))
    .executeTakeFirstOrThrow();
}

/**
 * Changes of an order when somebody wrote a text about it. The time is the clock's, not the transaction's, which may
 * have begun before an erasure that it waited for. So the new texts are erased, too.
 */
export const toldMore = { version: sql<number>`version + 1`, updated_at: sql<Date>`clock_timestamp()` };

export async function updateOrder(trx: Db, id: string, changes: UpdateObject<Database, 'orders'>): Promise<void> {
  const update = trx.updateTable('orders').set(changes).where('id', '=', id);
  await update.where(inPartitionsOf('id', [id])).execute();
}

/** Reads an order. Throws NOT_FOUND. */
export async function orderOf(db: Db, actor: Actor, id: string): Promise<Order> {
  const order = await getOrder(db, actor, id);
  if (!order) throw notFound('order');
  return order;
}
