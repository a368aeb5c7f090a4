import { sql } from 'kysely';
import type { Db } from '../db/connect.js';
import { createdNear, inPartitionsOf, recently } from '../db/near.js';

// The newest orders, on which a preview tries a new version of the carrier's rules.

const MAX_ORDERS = 100;

export interface StoredStop {
  kind: 'pickup' | 'delivery';
  position: number;
  place: { city: string; state: string; postalCode: string | null };
}

/**
 * Reads the newest orders, up to MAX_ORDERS. It reads recent partitions first, because they nearly always have enough.
 */
export async function newestOf<Row>(read: (since: Date | undefined, most: number) => Promise<Row[]>): Promise<Row[]> {
  const recent = await read(recently(), MAX_ORDERS);
  return recent.length === MAX_ORDERS ? recent : read(undefined, MAX_ORDERS);
}

export const newestOrders = (db: Db) =>
  newestOf((since, most) =>
    db
      .selectFrom('orders')
      .select(['id', 'external_id as externalId', 'created_at as createdAt', 'ready_at as readyAt', 'service'])
      .where(createdNear(since, undefined))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(most)
      .execute(),
  );

export async function stopsOfOrders(db: Db, ids: readonly string[]): Promise<Map<string, StoredStop[]>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ orderId: string; stops: StoredStop[] }>`
    select order_id as "orderId", json_agg(json_build_object('kind', kind, 'position', position, 'place',
      json_build_object('city', city, 'state', state, 'postalCode', postal_code)) order by kind desc, position) as stops
    from (
      select order_id, 'pickup' as kind, position, city, state, postal_code from pickups
      where order_id = any(${ids}::uuid[]) and ${inPartitionsOf('order_id', ids)}
      union all
      select order_id, 'delivery', position, city, state, postal_code from packages
      where order_id = any(${ids}::uuid[]) and ${inPartitionsOf('loggi_key', ids)}
    ) stops
    group by order_id`.execute(db);
  return new Map(rows.map(({ orderId, stops }) => [orderId, stops]));
}
