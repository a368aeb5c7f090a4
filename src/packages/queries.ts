import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { isId } from '../base/ids.js';
import { type Listed, offsetOf, type Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { near } from '../db/near.js';
import { ownedBy } from '../db/owned-by.js';
import type { OrderStatus } from '../db/tables.js';
import { type Instant, instant } from './instant.js';
import { FACT_COLUMNS, type Facts, type Location, type MovementFacts, toFacts } from './movement.js';
import { type Package, type PackageRow, packageIds, packageRows, toPackage } from './package.js';

/** Packages of, or beside, these orders or packages, by the rest of the condition, each as JSON. */
async function packagesWhere(db: Db, ids: readonly string[], rest: RawBuilder<unknown>): Promise<Package[]> {
  const areNear = sql.join(
    packageIds.map((column) => near(column, ids)),
    sql` and `,
  );
  const { rows } = await sql<{ package: PackageRow }>`
    select to_json(package_row) as package from (${sql.raw(packageRows)} where ${areNear} and ${rest}) package_row`.execute(
    db,
  );
  return rows.map((row) => toPackage(row.package));
}

/** A package of the actor's account, or any one for an operator; undefined when there is no such package. */
export async function getPackage(db: Db, actor: Actor, loggiKey: string): Promise<Package | undefined> {
  if (!isId(loggiKey)) return undefined;
  const [first] = await packagesWhere(
    db,
    [loggiKey],
    sql`p.loggi_key = ${loggiKey} and ${ownedBy(actor, 'p.account_id')}`,
  );
  return first;
}

/** The packages of some orders by order, those of one in the order of the input; one statement. */
export async function packagesOf(db: Db, orderIds: readonly string[]): Promise<Map<string, Package[]>> {
  const packages = await packagesWhere(
    db,
    orderIds,
    sql`p.order_id = any(${orderIds}::uuid[]) order by p.order_id, p.position`,
  );
  const byOrder = new Map<string, Package[]>(orderIds.map((id) => [id, []]));
  for (const each of packages) byOrder.get(each.orderId)?.push(each);
  return byOrder;
}

export interface PackageFilters {
  accountId?: string;
  orderId?: string;
  statusCode?: number;
  trackingCode?: string;
  barcode?: string;
  underWay?: UnderWay;
}

/** Packages of these orders that are not in a final status. */
interface UnderWay {
  orderIds: readonly string[];
  /** Only those whose promised date has passed. */
  isLate: boolean;
  /** Only those that have been in their status since before that time. */
  stuckSince?: Date | undefined;
}

/** Packages of all accounts, newest first; those under way by their promised date, oldest first. */
export async function listPackages(db: Db, filters: PackageFilters, page: Page): Promise<Listed<Package>> {
  const condition = conditionOf(filters);
  const order = filters.underWay
    ? sql`order by p.promised_date, p.loggi_key`
    : sql`order by p.created_at desc, p.loggi_key desc`;
  const paged = await sql<{ loggi_key: string }>`
    select loggi_key from packages p where ${condition} ${order}
    limit ${page.pageSize} offset ${offsetOf(page)}`.execute(db);
  const keys = paged.rows.map(({ loggi_key }) => loggi_key);
  const rows = await packagesWhere(db, keys, sql`p.loggi_key = any(${keys}::uuid[]) ${order}`);
  const count = await sql<{ total: string }>`select count(*) as total from packages p where ${condition}`.execute(db);
  return { rows, total: Number(count.rows[0]?.total ?? 0) };
}

const byCode = (column: 'tracking_code' | 'barcode', code: string): RawBuilder<unknown> =>
  sql`p.loggi_key = (select loggi_key from packages_by_code where ${sql.ref(column)} = ${code})`;

/** Whether the promised date of a package `p` has passed. */
export const isLate = sql<boolean>`p.promised_date < (now() at time zone 'America/Sao_Paulo')::date`;

/** Of packages `p`. */
export const isUnderWay = (orderIds: readonly string[]): RawBuilder<SqlBool> => sql<boolean>`
  p.order_id = any(${orderIds}::uuid[]) and ${near('p.loggi_key', orderIds)}
  and p.status_code = any(array(select code from package_statuses where not final))`;

function underWayConditions({ orderIds, isLate: late, stuckSince }: UnderWay): RawBuilder<unknown>[] {
  return [
    isUnderWay(orderIds),
    ...(late ? [isLate] : []),
    ...(stuckSince ? [sql`p.status_since < ${stuckSince}`] : []),
  ];
}

function conditionOf(filters: PackageFilters): RawBuilder<unknown> {
  const { accountId, orderId, statusCode, trackingCode, barcode, underWay } = filters;
  const conditions = [
    accountId === undefined ? [] : sql`p.account_id = ${accountId}`,
    orderId === undefined ? [] : sql`p.order_id = ${orderId} and ${near('p.loggi_key', [orderId])}`,
    statusCode === undefined ? [] : sql`p.status_code = ${statusCode}`,
    trackingCode === undefined ? [] : byCode('tracking_code', trackingCode),
    barcode === undefined ? [] : byCode('barcode', barcode),
    underWay === undefined ? [] : underWayConditions(underWay),
  ].flat();
  return conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`;
}

/** A recorded movement. */
export interface HistoryEntry extends Facts {
  id: string;
  seq: number;
  statusCode: number;
  statusName: string;
  happenedAt: Instant;
  recordedAt: Instant;
}

type HistoryRow = Omit<HistoryEntry, keyof Facts> & MovementFacts;

/** The movements of a package by the time at which they happened, newest first. */
export async function historyOf(db: Db, loggiKey: string, page: Page): Promise<Listed<HistoryEntry>> {
  if (!isId(loggiKey)) return { rows: [], total: 0 };
  const { rows } = await sql<HistoryRow>`
    select
      m.id, m.seq, m.status_code as "statusCode", s.name as "statusName",
      ${instant(sql`m.happened_at`)} as "happenedAt", ${instant(sql`m.recorded_at`)} as "recordedAt",
      ${sql.raw(FACT_COLUMNS)}
    from movements m join package_statuses s on s.code = m.status_code
    where m.loggi_key = ${loggiKey}
    order by m.happened_at desc, m.seq desc limit ${page.pageSize} offset ${offsetOf(page)}`.execute(db);
  const count = await sql<{ total: string }>`
    select count(*) as total from movements where loggi_key = ${loggiKey}`.execute(db);
  return { rows: rows.map(toHistoryEntry), total: Number(count.rows[0]?.total ?? 0) };
}

function toHistoryEntry(row: HistoryRow): HistoryEntry {
  const { id, seq, statusCode, statusName, happenedAt, recordedAt } = row;
  return { id, seq, statusCode, statusName, happenedAt, recordedAt, ...toFacts(row) };
}

/**
 * Locks all packages of an order of the actor's account, or of any for an operator, in the order of their keys; resolves to
 * their number, 0 when there is no such order. Nothing else is read: a row that waited for its lock is not joined again.
 */
export async function lockPackagesOf(trx: Db, actor: Actor, orderId: string): Promise<number> {
  const query = trx.selectFrom('packages').select('loggi_key').where('order_id', '=', orderId);
  const rows = await query
    .where(near('loggi_key', [orderId]))
    .where(ownedBy(actor, 'account_id'))
    .orderBy('loggi_key')
    .forNoKeyUpdate()
    .execute();
  return rows.length;
}

/** A package of an order, with what a movement made by the service itself needs. */
export interface MovablePackage {
  loggiKey: string;
  final: boolean;
  stage: OrderStatus;
  /** Now by the database's clock, or the time of the current status if that lies ahead: nothing before it is current. */
  next: Instant;
  lastSeen: Location | null;
}

/** The packages of an order that lockPackagesOf has locked. */
export async function movablePackages(trx: Db, orderId: string): Promise<MovablePackage[]> {
  const { rows } = await sql<MovablePackage>`
    select
      p.loggi_key as "loggiKey", s.final, s.stage,
      ${instant(sql`greatest(clock_timestamp(), p.status_since)`)} as next, seen.location as "lastSeen"
    from packages p
    join package_statuses s on s.code = p.status_code
    left join lateral (
      select json_build_object('city', m.city, 'state', m.state) as location
      from movements m
      where m.loggi_key = p.loggi_key and m.city is not null and ${near('m.loggi_key', [orderId])}
      order by m.happened_at desc, m.seq desc
      limit 1) seen on true
    where p.order_id = ${orderId} and ${near('p.loggi_key', [orderId])}
    order by p.position`.execute(trx);
  return rows;
}
