import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { type Listed, offsetOf, type Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { inPartitionsOf } from '../db/near.js';
import { matchingOf, namedBy, type PackageFilters } from './list-packages.js';
import type { Package } from './package.js';
import { packagesWhere } from './queries.js';

export interface UnderWayFilters extends PackageFilters {
  isLate: boolean;
  stuckSince?: Date | undefined;
}

export const isLate = sql<boolean>`p.promised_date < (now() at time zone 'America/Sao_Paulo')::date`;

/**
 * Nothing happened to the package since then, although its order was ready. `nearOrders` keeps to the partitions of
 * these orders.
 */
export const isStuckSince = (time: Date, nearOrders: RawBuilder<SqlBool>): RawBuilder<SqlBool> => sql<boolean>`
  p.status_since < ${time} and not exists (
    select from orders o where o.id = p.order_id and ${nearOrders} and o.ready_at > ${time})`;

const isUnfinished = sql<boolean>`p.status_code = any(array(select code from package_statuses where not final))`;

export const isUnderWay = (orderIds: readonly string[]): RawBuilder<SqlBool> => sql<boolean>`
  p.order_id = any(${orderIds}::uuid[]) and ${inPartitionsOf('p.loggi_key', orderIds)} and ${isUnfinished}`;

/** Lists packages under way, oldest promised date first: those of these orders, or those that the filters name. */
export async function listUnderWay(
  db: Db,
  actor: Actor,
  orderIds: readonly string[],
  filters: UnderWayFilters,
  page: Page,
): Promise<Listed<Package>> {
  const named = await namedBy(db, actor, filters);
  const matching = sql.join(
    [
      named ? sql`${named} and ${isUnfinished}` : isUnderWay(orderIds),
      matchingOf(actor, filters),
      ...(filters.isLate ? [isLate] : []),
      ...(filters.stuckSince
        ? [isStuckSince(filters.stuckSince, named ? sql`true` : inPartitionsOf('o.id', orderIds))]
        : []),
    ],
    sql` and `,
  );
  const oldestFirst = sql`order by p.promised_date, p.loggi_key`;
  const paged = await sql<{ loggi_key: string }>`
    select p.loggi_key from packages p where ${matching} ${oldestFirst}
    limit ${page.pageSize} offset ${offsetOf(page)}`.execute(db);
  const keys = paged.rows.map(({ loggi_key }) => loggi_key);
  const rows = await packagesWhere(db, keys, sql`p.loggi_key = any(${keys}::uuid[]) ${oldestFirst}`);
  const count = await sql<{ total: string }>`select count(*) as total from packages p where ${matching}`.execute(db);
  return { rows, total: Number(count.rows[0]?.total ?? 0) };
}
