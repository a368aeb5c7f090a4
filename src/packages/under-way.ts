import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Listed, offsetOf, type Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { near } from '../db/near.js';
import type { Package } from './package.js';
import { packagesWhere } from './queries.js';

export interface UnderWayFilters {
  isLate: boolean;
  stuckSince?: Date | undefined;
  statusCode?: number | undefined;
  createdFrom?: Date | undefined;
  createdTo?: Date | undefined;
  loggiKeys?: readonly string[] | undefined;
}

export const isLate = sql<boolean>`p.promised_date < (now() at time zone 'America/Sao_Paulo')::date`;

export const isUnderWay = (orderIds: readonly string[]): RawBuilder<SqlBool> => sql<boolean>`
  p.order_id = any(${orderIds}::uuid[]) and ${near('p.loggi_key', orderIds)}
  and p.status_code = any(array(select code from package_statuses where not final))`;

/** Lists packages of these orders that are under way, by their promised date, oldest first. */
export async function listUnderWay(
  db: Db,
  orderIds: readonly string[],
  filters: UnderWayFilters,
  page: Page,
): Promise<Listed<Package>> {
  const { isLate: late, stuckSince, statusCode, createdFrom, createdTo, loggiKeys } = filters;
  const conditions = [
    isUnderWay(orderIds),
    ...(late ? [isLate] : []),
    ...(stuckSince ? [sql`p.status_since < ${stuckSince}`] : []),
    ...(statusCode === undefined ? [] : [sql`p.status_code = ${statusCode}`]),
    ...(createdFrom ? [sql`p.created_at >= ${createdFrom}`] : []),
    ...(createdTo ? [sql`p.created_at < ${createdTo}`] : []),
    ...(loggiKeys ? [sql`p.loggi_key = any(${loggiKeys}::uuid[])`] : []),
  ];
  const matching = sql.join(conditions, sql` and `);
  const oldestFirst = sql`order by p.promised_date, p.loggi_key`;
  const paged = await sql<{ loggi_key: string }>`
    select p.loggi_key from packages p where ${matching} ${oldestFirst}
    limit ${page.pageSize} offset ${offsetOf(page)}`.execute(db);
  const keys = paged.rows.map(({ loggi_key }) => loggi_key);
  const rows = await packagesWhere(db, keys, sql`p.loggi_key = any(${keys}::uuid[]) ${oldestFirst}`);
  const count = await sql<{ total: string }>`select count(*) as total from packages p where ${matching}`.execute(db);
  return { rows, total: Number(count.rows[0]?.total ?? 0) };
}
