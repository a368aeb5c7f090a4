import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { isId } from '../base/ids.js';
import type { Db } from '../db/connect.js';
import { packageRows } from '../packages/queries.js';
import { type Order, type OrderRow, toOrder } from './order.js';

export { listOrders, type OrderFilters } from './list-orders.js';
export { ordersAfter } from './orders-after.js';

/** Whole orders in one statement, however many packages they have. */
const wholeOrders = sql<OrderRow>`
  select
    o.id, o.account_id, o.external_id, o.status, o.payment_method_id, o.rate_card_version, o.price_lines,
    o.total_centavos, o.distance_metres, o.distance_source, o.version, o.created_at, o.updated_at,
    (select json_agg(u order by u.position) from pickups u where u.order_id = o.id) as pickups,
    (select json_agg(packed order by packed.position) from (${packageRows} where p.order_id = o.id) packed) as packages
  from orders o`;

async function ordersWhere(db: Db, rest: RawBuilder<unknown>): Promise<Order[]> {
  const { rows } = await sql<OrderRow>`${wholeOrders} where ${rest}`.execute(db);
  return rows.map(toOrder);
}

function owned(actor: Actor): RawBuilder<unknown> {
  return actor.role === 'operator' ? sql`true` : sql`o.account_id = ${actor.accountId}`;
}

/** An order of the actor's account, or any one for an operator; undefined when there is none. */
export async function getOrder(db: Db, actor: Actor, id: string): Promise<Order | undefined> {
  if (!isId(id)) return undefined;
  const [order] = await ordersWhere(db, sql`o.id = ${id} and ${owned(actor)}`);
  return order;
}

/** Orders of any account, in the order of the ids; an id that is none's is left out. */
export async function getOrders(db: Db, ids: readonly string[]): Promise<Order[]> {
  const orders = await ordersWhere(db, sql`o.id = any(${ids.filter(isId)}::uuid[])`);
  const byId = new Map(orders.map((order) => [order.id, order]));
  return ids.flatMap((id) => byId.get(id.toLowerCase()) ?? []);
}
