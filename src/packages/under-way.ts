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
 * True for a package without a movement since `time`, whose order was ready by then. `nearOrders` limits the query to
 * the partitions of these orders.
 */
export const isStuckSince = (time: Date, nearOrders: RawBuilder<SqlBool>): RawBuilder<SqlBool> => sql<boolean>`
  p.status_since < ${time} and not exists (
    select from orders o where o.id = p.order_id and ${nearOrders} and o.ready_at > ${time})`;

const isUnfinished = sql<boolean>`p.status_code = any(array(select code from package_statuses where not final))`;

export const isUnderWay = (orderIds: readonly string[]): RawBuilder<SqlBool> => sql<boolean>`
  p.order_id = any(${orderIds}::uuid[]) and ${inPartitionsOf('p.loggi_key', orderIds)} and ${isUnfinished}`;

/** Reads the keys of all packages under way that match the filters (db/migrations/0068). */
async function keysUnderWay(db: Db, { accountId, statusCode, isLate: mustBeLate }: UnderWayFilters): Promise<string[]> {
  const conditions = [
    isUnfinished,
    ...(accountId === undefined ? [] : [sql`p.account_id = ${accountId}`]),
    ...(statusCode === undefined ? [] : [sql`p.status_code = ${statusCode}`]),
    ...(mustBeLate ? [isLate] : []),
  ];
  const { rows } = await sql<{ loggi_key: string }>`
    select p.loggi_key from counted_packages p where ${sql.join(conditions, sql` and `)}`.execute(db);
  return rows.map(({ loggi_key: key }) => key);
}

const among = (keys: readonly string[]): RawBuilder<SqlBool> => sql<boolean>`
  p.loggi_key = any(${keys}::uuid[]) and ${inPartitionsOf('p.loggi_key', keys)}`;

/** Lists packages under way, oldest promised date first. If filters name packages, lists only these. */
export async function listUnderWay(
  db: Db,
  actor: Actor,
  filters: UnderWayFilters,
  page: Page,
): Promise<Listed<Package>> {
  const named = await namedBy(db, actor, filters);
  const keys = named ? [] : await keysUnderWay(db, filters);
  const { stuckSince } = filters;
  const nearOrders = named ? sql<boolean>`true` : inPartitionsOf('o.id', keys);
  const conditions = [
    named ?? among(keys),
    isUnfinished,
    matchingOf(actor, filters),
    ...(filters.isLate ? [isLate] : []),
    ...(stuckSince ? [isStuckSince(stuckSince, nearOrders)] : []),
  ];
  const matching = sql.join(conditions, sql` and `);
  const oldestFirst = sql`order by p.promised_date, p.loggi_key`;
  const paged = await sql<{ loggi_key: string }>`
    select p.loggi_key from packages p where ${matching} ${oldestFirst}
    limit ${page.pageSize} offset ${offsetOf(page)}`.execute(db);
  const listed = paged.rows.map(({ loggi_key }) => loggi_key);
  const rows = await packagesWhere(db, listed, sql`p.loggi_key = any(${listed}::uuid[]) ${oldestFirst}`);
  const count = await sql<{ total: string }>`select count(*) as total from packages p where ${matching}`.execute(db);
  return { rows, total: Number(count.rows[0]?.total ?? 0) };
}
