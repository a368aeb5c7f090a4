import { sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import type { Db } from '../db/connect.js';
import type { OrderStatus } from '../db/tables.js';
import { type Instant, instant } from './instant.js';
import type { Location } from './movement.js';

/**
 * Locks all packages of an order of the actor's account, or of any for an operator, in the order of their keys; resolves to
 * their number, 0 when there is no such order. Nothing else is read: a row that waited for its lock is not joined again.
 */
export async function lockPackagesOf(trx: Db, actor: Actor, orderId: string): Promise<number> {
  const query = trx.selectFrom('packages').select('loggi_key').where('order_id', '=', orderId);
  const owned = actor.role === 'operator' ? query : query.where('account_id', '=', actor.accountId);
  const rows = await owned.orderBy('loggi_key').forNoKeyUpdate().execute();
  return rows.length;
}

/** A package of an order, with what a movement of our own needs. */
export interface Movable {
  loggiKey: string;
  final: boolean;
  stage: OrderStatus;
  /** Now by the database's clock, or the time of the current status if that lies ahead: nothing before it is current. */
  next: Instant;
  lastSeen: Location | null;
}

/** The packages of an order that lockPackagesOf has locked. */
export async function movablePackages(trx: Db, orderId: string): Promise<Movable[]> {
  const { rows } = await sql<Movable>`
    select
      p.loggi_key as "loggiKey", s.final, s.stage,
      ${instant(sql`greatest(clock_timestamp(), p.status_since)`)} as next, seen.location as "lastSeen"
    from packages p
    join package_statuses s on s.code = p.status_code
    left join lateral (
      select json_build_object('city', m.city, 'state', m.state) as location
      from movements m
      where m.loggi_key = p.loggi_key and m.city is not null
      order by m.happened_at desc, m.seq desc
      limit 1) seen on true
    where p.order_id = ${orderId}
    order by p.position`.execute(trx);
  return rows;
}
