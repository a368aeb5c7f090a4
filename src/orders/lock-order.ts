import type { Actor } from '../base/actor.js';
import { notFound } from '../base/errors.js';
import { isId } from '../base/ids.js';
import type { Db } from '../db/connect.js';
import { near } from '../db/near.js';
import type { OrderStatus } from '../db/tables/database.js';
import { lockPackagesOf } from '../packages/queries.js';
import { getOrder, type Order } from './order.js';

/** Locks an order by the locks of all its packages, with one of which it changes. Throws NOT_FOUND. */
export async function lockOrder(trx: Db, actor: Actor, id: string): Promise<{ status: OrderStatus; version: number }> {
  const packages = isId(id) ? await lockPackagesOf(trx, actor, id) : 0;
  if (packages === 0) throw notFound('order');
  return trx
    .selectFrom('orders')
    .select(['status', 'version'])
    .where('id', '=', id)
    .where(near('id', [id]))
    .executeTakeFirstOrThrow();
}

/** Reads the order. Throws NOT_FOUND. */
export async function orderOf(db: Db, actor: Actor, id: string): Promise<Order> {
  const order = await getOrder(db, actor, id);
  if (!order) throw notFound('order');
  return order;
}
