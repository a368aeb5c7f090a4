import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { isId } from '../base/ids.js';
import { type Listed, offsetOf, type Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { near } from '../db/near.js';
import { ownedBy } from '../db/owned-by.js';
import type { OrderStatus } from '../db/tables/database.js';
import { type Instant, instant } from './instant.js';
import { FACT_COLUMNS, type Facts, type Location, type MovementFacts, toFacts } from './movement.js';
import { type Package, type PackageRow, packageIds, packageRows, toPackage } from './package.js';

/** Rows that toPackage takes, of packages of or beside these orders or packages, by the rest of the condition. */
export function packagesNear(ids: readonly string[], rest: RawBuilder<unknown>): RawBuilder<unknown> {
  const areNear = sql.join(
    packageIds.map((column) => near(column, ids)),
    sql` and `,
  );
  return sql`${sql.raw(packageRows)} where ${areNear} and ${rest}`;
}

/** Packages of, or beside, these orders or packages, by the rest of the condition, each as JSON. */
export async function packagesWhere(db: Db, ids: readonly string[], rest: RawBuilder<unknown>): Promise<Package[]> {
  const { rows } = await sql<{ package: PackageRow }>`
    select to_json(package_row) as package from (${packagesNear(ids, rest)}) package_row`.execute(db);
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
  /** Whether it is handed over for its PIN only. */
  asksForPin: boolean;
}

/** The packages of an order that lockPackagesOf has locked. */
export async function movablePackages(trx: Db, orderId: string): Promise<MovablePackage[]> {
  const { rows } = await sql<MovablePackage>`
    select
      p.loggi_key as "loggiKey", s.final, s.stage,
      ${instant(sql`greatest(clock_timestamp(), p.status_since)`)} as next, seen.location as "lastSeen",
      exists (
        select from delivery_pins pin where pin.loggi_key = p.loggi_key and pin.overridden_at is null) as "asksForPin"
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
