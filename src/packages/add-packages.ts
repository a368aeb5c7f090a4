import { newId } from '../base/ids.js';
import { ENQUEUING } from '../deliveries/enqueue.js';
import type { PackageCodes } from './codes.js';
import type { Location } from './movement.js';
import type { Dimensions, Package, PackageItem, Recipient } from './package.js';
import { type Stop, type StopRow, stopOf, stopRow, type Waypoint } from './stop.js';

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

export interface AddedRow extends StopRow, Dimensions {
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

/** New packages as `addingPackages` writes them, each under ids and codes of its own. */
export function addedRows(packages: readonly NewPackage[], codes: readonly PackageCodes[]): AddedRow[] {
  return packages.map((added, position) => {
    const own = codes[position];
    if (!own) throw new RangeError(`package ${position} has no codes`);
    return rowOf(added, position, own);
  });
}

// What is spread comes last: V8 makes such a row many times faster than one that a spread begins.
function rowOf(added: NewPackage, position: number, { trackingCode, barcode }: PackageCodes): AddedRow {
  const { width, height, length, weight } = added.dimensions;
  return {
    loggi_key: newId(),
    movement_id: newId(),
    position,
    pickup_position: added.pickupIndex,
    tracking_code: trackingCode,
    barcode,
    recipient_name: added.recipient.name,
    recipient_phone: added.recipient.phone,
    width,
    height,
    length,
    weight,
    items: added.items,
    promised_date: added.promisedDate,
    origin_city: added.origin.city,
    origin_state: added.origin.state,
    ...stopRow(added),
  };
}

const COLUMNS = `
  loggi_key, position, pickup_position, tracking_code, barcode, recipient_name, recipient_phone,
  width, height, length, weight, items, address, complement, instructions, latitude, longitude, precision,
  city, state, district, postal_code, waypoint_index, eta, leg_metres, promised_date`;

/**
 * Common table expressions that write the packages of the order in `placed (id, account_id)`, which comes before them, with
 * their first movement each (status 1, at the pickup, as the order is created) and its notification: nothing when that is
 * empty. The packages are `parameter`, the JSON of their rows: the statement is the same for any number of them.
 */
export const addingPackages = (parameter: string): string => `
    given as (
      select * from placed, json_to_recordset(${parameter}::json) as given(
        loggi_key uuid, movement_id uuid, position smallint, pickup_position smallint, tracking_code text, barcode text,
        recipient_name text, recipient_phone text, width double precision, height double precision,
        length double precision, weight double precision, items jsonb, address text, complement text, instructions text,
        latitude double precision, longitude double precision, precision text, city text, state text, district text,
        postal_code text, waypoint_index smallint, eta timestamptz, leg_metres integer, promised_date date,
        origin_city text, origin_state text)
    ), packed as (
      insert into packages (
        account_id, order_id, seq, status_code, status_since, current_movement_id, created_at, ${COLUMNS})
      select account_id, id, 1, 1, now()::timestamptz(3), movement_id, now(), ${COLUMNS}
      from given
    ), moved as (
      insert into movements (id, loggi_key, seq, status_code, happened_at, city, state)
      select movement_id, loggi_key, 1, 1, now()::timestamptz(3), origin_city, origin_state from given
    ), notified as (
      select account_id, loggi_key, 1 as seq from given
    ), ${ENQUEUING}`;

/** What the catalogue says of status 1, and since when a package has it. */
export interface FirstStatus {
  name: string;
  description: string;
  since: Date;
}

export interface Owner {
  orderId: string;
  accountId: string;
}

/** The package that was written as this row. */
export function toAdded(
  added: NewPackage,
  row: AddedRow,
  { orderId, accountId }: Owner,
  { name, description, since }: FirstStatus,
): Package {
  const { pickupIndex, pickupWaypoint, recipient, dimensions, items, promisedDate, origin } = added;
  return {
    loggiKey: row.loggi_key,
    accountId,
    orderId,
    trackingCode: row.tracking_code,
    barcode: row.barcode,
    status: { code: 1, name, description, since, actionRequired: null, pickupAgency: null },
    location: origin,
    seq: 1,
    createdAt: since,
    pickupIndex,
    pickupWaypoint,
    recipient,
    dimensions,
    items,
    promisedDate,
    ...stopOf(added),
  };
}
