import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { isId } from '../base/ids.js';
import { type Listed, offsetOf, type Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { inPartitionsOf, partitionFilter } from '../db/near.js';
import { ownedBy } from '../db/owned-by.js';
import type { OrderStatus } from '../db/tables/database.js';
import { type Instant, instant } from './instant.js';
import { type Facts, factColumns, type Location, type MovementFacts, toFacts } from './movement.js';
import { type Package, packageView, toPackage } from './package.js';
import { type PackagePart, type PackageRow, packageRows } from './package-rows.js';
import { type CataloguedEvent, trackingEvents } from './tracking.js';

/** Selects rows for `toPackage` by a condition. `ids` bound the partitions: ids of the packages, or of their orders. */
function packagesNear(ids: readonly string[], rest: RawBuilder<unknown>): RawBuilder<unknown> {
  const inPartitions = partitionFilter(ids);
  return sql`${packageRows(inPartitions)} where ${inPartitions('p.loggi_key')} and ${rest}`;
}

export async function packagesWhere(db: Db, ids: readonly string[], rest: RawBuilder<unknown>): Promise<Package[]> {
  const { rows } = await sql<{ package: PackageRow }>`
    select to_json(package_row) as package from (${packagesNear(ids, rest)}) package_row`.execute(db);
  return rows.map((row) => toPackage(row.package));
}

export async function getPackage(db: Db, actor: Actor, loggiKey: string): Promise<Package | undefined> {
  if (!isId(loggiKey)) return undefined;
  const isOwn = sql`p.loggi_key = ${loggiKey} and ${ownedBy(actor, 'p.account_id')}`;
  return (await packagesWhere(db, [loggiKey], isOwn))[0];
}

/** Reads the packages of these orders, sorted by position. They have only the requested parts. */
export async function packagesOf(
  db: Db,
  orderIds: readonly string[],
  parts: ReadonlySet<PackagePart>,
): Promise<Map<string, Package[]>> {
  const inPartitions = partitionFilter(orderIds);
  // As JSON, because the driver would parse every column of every row. `offset 0` makes the planner look up each order
  // by itself.
  const { rows } = await sql<{ packages: PackageRow[] }>`
    select coalesce(json_agg(listed order by listed.position), '[]') as packages
    from unnest(${orderIds}::uuid[]) as wanted (id)
    cross join lateral (
      ${packageRows(inPartitions, parts)} where p.order_id = wanted.id and ${inPartitions('p.loggi_key')} offset 0) listed`.execute(
    db,
  );
  const byOrder = new Map<string, Package[]>(orderIds.map((id) => [id, []]));
  for (const row of rows[0]?.packages ?? []) byOrder.get(row.order_id)?.push(packageView(row));
  return byOrder;
}

export interface HistoryEntry extends Facts {
  id: string;
  seq: number;
  statusCode: number;
  statusName: string;
  happenedAt: Instant;
  recordedAt: Instant;
}

type HistoryRow = Omit<HistoryEntry, keyof Facts> & MovementFacts;

/** Lists the movements of a package by the time at which they happened, newest first. */
export async function historyOf(db: Db, loggiKey: string, page: Page): Promise<Listed<HistoryEntry>> {
  if (!isId(loggiKey)) return { rows: [], total: 0 };
  const ofPackage = sql`m.loggi_key = ${loggiKey} and ${inPartitionsOf('m.loggi_key', [loggiKey])}`;
  const { rows } = await sql<HistoryRow>`
    select
      m.id, m.seq, m.status_code as "statusCode", s.name as "statusName",
      ${instant(sql`m.happened_at`)} as "happenedAt", ${instant(sql`m.recorded_at`)} as "recordedAt",
      ${sql.raw(factColumns)}
    from movements m join package_statuses s on s.code = m.status_code
    where ${ofPackage}
    order by m.happened_at desc, m.seq desc limit ${page.pageSize} offset ${offsetOf(page)}`.execute(db);
  const count = await sql<{ total: string }>`
    select count(*) as total from movements m where ${ofPackage}`.execute(db);
  return { rows: rows.map(toHistoryEntry), total: Number(count.rows[0]?.total ?? 0) };
}

const toHistoryEntry = ({ id, seq, statusCode, statusName, happenedAt, recordedAt, ...facts }: HistoryRow) => ({
  ...{ id, seq, statusCode, statusName, happenedAt, recordedAt },
  ...toFacts(facts),
});

export interface MovablePackage {
  loggiKey: string;
  final: boolean;
  stage: OrderStatus;
  /** The present time of the database, or the time of the current status if that is later. */
  next: Instant;
  lastSeen: Location | null;
  asksForPin: boolean;
}

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
      where m.loggi_key = p.loggi_key and m.city is not null and ${inPartitionsOf('m.loggi_key', [orderId])}
      order by m.happened_at desc, m.seq desc
      limit 1) seen on true
    where p.order_id = ${orderId} and ${inPartitionsOf('p.loggi_key', [orderId])}
    order by p.position`.execute(trx);
  return rows;
}

export interface TrackedPackage extends Package {
  /** Newest first. */
  trackingHistory: CataloguedEvent[];
  lastSeen: Location | null;
}

export const getTrackedPackage = async (db: Db, actor: Actor, loggiKey: string): Promise<TrackedPackage | undefined> =>
  (await getTrackedPackageUnless(db, actor, loggiKey))?.tracked;

/**
 * Reads a package. If the client's version is current, reads only the version. The version is the sum of two numbers
 * that only grow. One is the order's version, which changes with statuses of its packages and with erasure. The other
 * is the number of movements, because a late movement changes only the history.
 */
export async function getTrackedPackageUnless(
  db: Db,
  actor: Actor,
  loggiKey: string,
  knownVersion?: number,
): Promise<{ version: number; tracked?: TrackedPackage } | undefined> {
  if (!isId(loggiKey)) return undefined;
  const ofKey = sql`p.loggi_key = ${loggiKey} and ${ownedBy(actor, 'p.account_id')}`;
  const { rows } = await sql<{ version: number; package: PackageRow | null }>`
    select version, case when version = ${knownVersion ?? null}::integer then null else to_json(package_row) end as package
    from (${packagesNear([loggiKey], ofKey)}) package_row
    cross join lateral (
      select o.version + package_row.seq as version from orders o
      where o.id = package_row.order_id and ${inPartitionsOf('o.id', [loggiKey])} limit 1) versioned`.execute(db);
  const [row] = rows;
  if (!row?.package) return row && { version: row.version };
  const shown = toPackage(row.package);
  // The history up to the same movement as the rest, even if others were recorded meanwhile.
  const [current, ...trackingHistory] = await trackingEvents(db, shown);
  const lastSeen = [current, ...trackingHistory].find((event) => event?.location)?.location ?? null;
  return { version: row.version, tracked: { ...shown, trackingHistory, lastSeen } };
}

// Codes that clients may use instead of an id. Each needs one look-up in an index.

type Code = 'tracking_code' | 'barcode';

/** Selects the key of the package with this code, in any account. */
export const keyOfCode = (column: Code, code: string) =>
  sql<{ loggi_key: string }>`select loggi_key from package_codes where ${sql.ref(column)} = ${code}`;

export async function keysOfCode(db: Db, column: Code, code: string): Promise<string[]> {
  const { rows } = await keyOfCode(column, code).execute(db);
  return rows.map(({ loggi_key }) => loggi_key);
}

/** The keys of packages by their tracking codes and barcodes, in any account. Leaves out codes without a package. */
export async function keysByCode(db: Db, trackingCodes: string[], barcodes: string[]): Promise<Map<string, string>> {
  if (trackingCodes.length + barcodes.length === 0) return new Map();
  const { rows } = await sql<{ code: string; loggi_key: string }>`
    select tracking_code as code, loggi_key from package_codes where tracking_code = any(${trackingCodes})
    union all
    select barcode, loggi_key from package_codes where barcode = any(${barcodes})`.execute(db);
  return new Map(rows.map(({ code, loggi_key }) => [code, loggi_key]));
}

/** Selects the orders with an external id: at most one of each account that the actor may see. */
export const ordersOfExternalId = (actor: Actor, externalId: string) =>
  sql<{ order_id: string }>`
    select named.order_id from accounts, lateral (
      select order_id from order_external_ids own
      where own.account_id = accounts.id and own.external_id = ${externalId} offset 0) named
    where ${ownedBy(actor, 'accounts.id')}`;

export async function orderIdsOf(db: Db, actor: Actor, externalId: string): Promise<string[]> {
  const { rows } = await ordersOfExternalId(actor, externalId).execute(db);
  return rows.map(({ order_id }) => order_id);
}
