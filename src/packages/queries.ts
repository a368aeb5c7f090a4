import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { isId } from '../base/ids.js';
import { type Listed, offsetOf, type Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { type Instant, instant } from './instant.js';
import { type Facts, type MovementFacts, toFacts } from './movement.js';
import { type Package, type PackageRow, toPackage } from './package.js';

/**
 * The rows that toPackage takes, from tables `p` (packages), `m` (the current movement), `s` (its status) and `u` (the
 * pickup). Read as JSON, they can be had alone or gathered by order.
 */
export const packageRows = sql.raw(`
  select
    p.loggi_key, p.account_id, p.order_id, p.position, p.pickup_position, p.tracking_code, p.barcode,
    p.recipient_name, p.recipient_phone, p.width, p.height, p.length, p.weight, p.items,
    p.address, p.complement, p.instructions, p.latitude, p.longitude, p.precision, p.city, p.state, p.district, p.postal_code,
    p.waypoint_index, p.eta, p.leg_metres, p.promised_date, p.seq, p.created_at,
    p.status_code, p.status_since, s.name as status_name, s.description as status_description,
    m.city as moved_city, m.state as moved_state, m.reason_label, m.reason_description,
    m.agency_address, m.agency_city, m.agency_state, m.agency_postal_code,
    json_build_object('index', u.waypoint_index, 'eta', u.eta, 'legDistance', u.leg_metres) as pickup_waypoint
  from packages p
  join package_statuses s on s.code = p.status_code
  join movements m on m.id = p.current_movement_id
  join pickups u on u.order_id = p.order_id and u.position = p.pickup_position`);

/** A package of the actor's account, or any one for an operator; undefined when there is none. */
export async function getPackage(db: Db, actor: Actor, loggiKey: string): Promise<Package | undefined> {
  if (!isId(loggiKey)) return undefined;
  const owner = actor.role === 'operator' ? sql`true` : sql`p.account_id = ${actor.accountId}`;
  const { rows } = await sql<{ package: PackageRow }>`
    select to_json(found) as package from (${packageRows} where p.loggi_key = ${loggiKey} and ${owner}) found`.execute(
    db,
  );
  return rows[0] && toPackage(rows[0].package);
}

/** The packages of some orders by order, those of one in the order of the input; one statement. */
export async function packagesOf(db: Db, orderIds: readonly string[]): Promise<Map<string, Package[]>> {
  const { rows } = await sql<{ package: PackageRow }>`
    select to_json(found) as package
    from (${packageRows} where p.order_id = any(${orderIds}::uuid[]) order by p.order_id, p.position) found`.execute(
    db,
  );
  const packages = new Map<string, Package[]>(orderIds.map((id) => [id, []]));
  for (const row of rows) packages.get(row.package.order_id)?.push(toPackage(row.package));
  return packages;
}

export interface PackageFilters {
  accountId?: string;
  orderId?: string;
  statusCode?: number;
  trackingCode?: string;
  barcode?: string;
}

/** Packages of all accounts, newest first. */
export async function listPackages(db: Db, filters: PackageFilters, page: Page): Promise<Listed<Package>> {
  const condition = conditionOf(filters);
  const { rows } = await sql<{ package: PackageRow }>`
    select to_json(found) as package
    from (
      ${packageRows} where ${condition}
      order by p.created_at desc, p.loggi_key desc limit ${page.pageSize} offset ${offsetOf(page)}) found`.execute(db);
  const counted = await sql<{ total: string }>`select count(*) as total from packages p where ${condition}`.execute(db);
  return { rows: rows.map((row) => toPackage(row.package)), total: Number(counted.rows[0]?.total ?? 0) };
}

function conditionOf({ accountId, orderId, statusCode, trackingCode, barcode }: PackageFilters): RawBuilder<unknown> {
  const conditions = [
    accountId === undefined ? [] : sql`p.account_id = ${accountId}`,
    orderId === undefined ? [] : sql`p.order_id = ${orderId}`,
    statusCode === undefined ? [] : sql`p.status_code = ${statusCode}`,
    trackingCode === undefined ? [] : sql`p.tracking_code = ${trackingCode}`,
    barcode === undefined ? [] : sql`p.barcode = ${barcode}`,
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
      m.city as moved_city, m.state as moved_state, m.reason_label, m.reason_description,
      m.agency_address, m.agency_city, m.agency_state, m.agency_postal_code
    from movements m join package_statuses s on s.code = m.status_code
    where m.loggi_key = ${loggiKey}
    order by m.happened_at desc, m.seq desc limit ${page.pageSize} offset ${offsetOf(page)}`.execute(db);
  const counted = await sql<{ total: string }>`
    select count(*) as total from movements where loggi_key = ${loggiKey}`.execute(db);
  return { rows: rows.map(toHistoryEntry), total: Number(counted.rows[0]?.total ?? 0) };
}

function toHistoryEntry(row: HistoryRow): HistoryEntry {
  const { id, seq, statusCode, statusName, happenedAt, recordedAt } = row;
  return { id, seq, statusCode, statusName, happenedAt, recordedAt, ...toFacts(row) };
}
