import { sql } from 'kysely';
import { newId } from '../base/ids.js';
import type { Db } from '../db/connect.js';
import { enqueueNotifications } from '../deliveries/enqueue.js';
import { barcodeOf, trackingCodeOf } from './codes.js';
import type { Location } from './movement.js';
import type { Dimensions, Package, PackageItem, Recipient } from './package.js';
import { type Stop, type StopRow, stopRow, type Waypoint } from './stop.js';

/** A package of an order that is being created; its place in the list is its position. */
export interface NewPackage extends Stop {
  pickupIndex: number;
  pickupWaypoint: Waypoint;
  recipient: Recipient;
  dimensions: Dimensions;
  items: PackageItem[] | null;
  /** YYYY-MM-DD. */
  promisedDate: string;
  /** Where it waits to be collected. */
  origin: Location;
}

export interface Owner {
  orderId: string;
  accountId: string;
}

/**
 * Writes the packages of a new order with their first movement each (status 1, at the pickup, as the order is created) and
 * enqueues its notification. To be called in the order's transaction; the number of statements is constant.
 */
export async function addPackages(trx: Db, owner: Owner, packages: readonly NewPackage[]): Promise<Package[]> {
  const numbers = await takeNumbers(trx, packages.length);
  const rows = packages.map((added, position) => rowOf(added, position, numbers[position] ?? 0n));
  const status = await insert(trx, owner, rows);
  await enqueueNotifications(
    trx,
    rows.map((row) => ({ movementId: row.movement_id, accountId: owner.accountId, loggiKey: row.loggi_key, seq: 1 })),
  );
  return packages.flatMap((added, position) => {
    const row = rows[position];
    return row ? [toAdded(added, row, owner, status)] : [];
  });
}

async function takeNumbers(trx: Db, count: number): Promise<bigint[]> {
  const { rows } = await sql<{ number: string }>`
    select nextval('package_number') as number from generate_series(1, ${count}::integer)`.execute(trx);
  return rows.map(({ number }) => BigInt(number));
}

interface AddedRow extends StopRow, Dimensions {
  loggi_key: string;
  movement_id: string;
  position: number;
  pickup_position: number;
  tracking_code: string;
  barcode: string;
  recipient_name: string;
  recipient_phone: string;
  items: PackageItem[] | null;
  promised_date: string;
  origin_city: string;
  origin_state: string;
}

function rowOf(added: NewPackage, position: number, number: bigint): AddedRow {
  return {
    ...stopRow(added),
    ...added.dimensions,
    loggi_key: newId(),
    movement_id: newId(),
    position,
    pickup_position: added.pickupIndex,
    tracking_code: trackingCodeOf(number),
    barcode: barcodeOf(number),
    recipient_name: added.recipient.name,
    recipient_phone: added.recipient.phone,
    items: added.items,
    promised_date: added.promisedDate,
    origin_city: added.origin.city,
    origin_state: added.origin.state,
  };
}

interface FirstStatus {
  name: string;
  description: string;
  since: Date;
}

const columns = sql.raw(`
  loggi_key, position, pickup_position, tracking_code, barcode, recipient_name, recipient_phone,
  width, height, length, weight, items, address, complement, instructions, latitude, longitude, precision,
  city, state, district, postal_code, waypoint_index, eta, leg_metres, promised_date`);

/** All rows travel in one parameter: the statement is the same for any number of packages. */
async function insert(trx: Db, { orderId, accountId }: Owner, rows: readonly AddedRow[]): Promise<FirstStatus> {
  const result = await sql<FirstStatus>`
    with given as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as given(
        loggi_key uuid, movement_id uuid, position smallint, pickup_position smallint, tracking_code text, barcode text,
        recipient_name text, recipient_phone text, width double precision, height double precision,
        length double precision, weight double precision, items jsonb, address text, complement text, instructions text,
        latitude double precision, longitude double precision, precision text, city text, state text, district text,
        postal_code text, waypoint_index smallint, eta timestamptz, leg_metres integer, promised_date date,
        origin_city text, origin_state text)
    ), packed as (
      insert into packages (
        account_id, order_id, seq, status_code, status_since, current_movement_id, created_at, ${columns})
      select ${accountId}::uuid, ${orderId}::uuid, 1, 1, now()::timestamptz(3), movement_id, now(), ${columns}
      from given
    ), moved as (
      insert into movements (id, loggi_key, seq, status_code, happened_at, city, state)
      select movement_id, loggi_key, 1, 1, now()::timestamptz(3), origin_city, origin_state from given
    )
    select name, description, now()::timestamptz(3) as since from package_statuses where code = 1`.execute(trx);
  const [status] = result.rows;
  if (!status) throw new Error('the catalogue lacks status 1');
  return status;
}

function toAdded(added: NewPackage, row: AddedRow, { orderId, accountId }: Owner, status: FirstStatus): Package {
  const { origin, ...kept } = added;
  const { name, description, since } = status;
  return {
    ...kept,
    loggiKey: row.loggi_key,
    accountId,
    orderId,
    trackingCode: row.tracking_code,
    barcode: row.barcode,
    status: { code: 1, name, description, since, actionRequired: null, pickupAgency: null },
    location: origin,
    seq: 1,
    createdAt: since,
  };
}
