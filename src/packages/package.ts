import type { Dimensions } from '../base/dimensions.js';
import { newId, newIdBeside } from '../base/ids.js';
import type { KeyRing } from '../base/keys.js';
import type { Place, Waypoint } from '../base/place.js';
import type { TraceParent } from '../base/tracing.js';
import { definitionOf, type JsonRow, namesOf, type SqlTypes } from '../db/columns.js';
import type { Packages } from '../db/tables/database.js';
import type { PackageCodes } from './codes.js';
import {
  type ActionRequired,
  FACT_COLUMNS,
  type Location,
  type MovementFacts,
  type PickupAgency,
  toFacts,
} from './movement.js';
import { newSealedPin } from './proof/pins.js';
import { type PlacedRow, placedRow, type Stop, stopColumns, stopRow, toAddress, toPlace, toWaypoint } from './stop.js';

// What a package is, and how it is written and read. A new column is added here, in db/tables.ts and in the bodies that show it.

export interface PackageItem {
  productId: string;
  quantity: number;
}

export interface Recipient {
  name: string;
  phone: string;
}

/** What a package has from its order on, with its place in the order's route. */
interface PackageContent extends Stop {
  pickupIndex: number;
  pickupPlace: Place;
  pickupWaypoint: Waypoint;
  recipient: Recipient;
  dimensions: Dimensions;
  /** What the dimensions were derived from; null when they were given. */
  items: PackageItem[] | null;
  /** YYYY-MM-DD: date of the first delivery attempt, in America/Sao_Paulo. */
  promisedDate: string;
}

/** A package of an order that is being created; its place in the list is its position. */
export interface NewPackage extends PackageContent {
  /** Where it waits to be collected. */
  origin: Location;
  /** Whether it gets a PIN. */
  hasPin: boolean;
}

export interface PackageStatus {
  code: number;
  /** The catalogue's name, `highLevelStatus` to the outside. */
  name: string;
  description: string;
  /** When the package entered the status. */
  since: Date;
  actionRequired: ActionRequired | null;
  pickupAgency: PickupAgency | null;
}

/** A package with its current state. */
export interface Package extends PackageContent {
  loggiKey: string;
  accountId: string;
  orderId: string;
  trackingCode: string;
  barcode: string;
  /** Number of the tracking link that is valid, from 0; null while there is none. */
  trackingLink: number | null;
  status: PackageStatus;
  /** Where it was when it entered the current status, as far as the movement says. */
  location: Location | null;
  /** Number of movements so far. */
  seq: number;
  /** The latest order that takes it back. */
  returnedBy: string | null;
  createdAt: Date;
  /** Its PIN (proof/pins.ts); null when it has none, and once it has reached a final status. */
  sealedPin: Buffer | null;
}

/** The columns that an order writes of a package, and their types in SQL. */
const contentColumns = {
  loggi_key: 'uuid',
  position: 'smallint',
  pickup_position: 'smallint',
  tracking_code: 'text',
  barcode: 'text',
  recipient_name: 'text',
  recipient_phone: 'text',
  width: 'double precision',
  height: 'double precision',
  length: 'double precision',
  weight: 'double precision',
  items: 'jsonb',
  promised_date: 'date',
  ...stopColumns,
} as const satisfies SqlTypes<Packages>;

type ContentRow = JsonRow<Pick<Packages, keyof typeof contentColumns>>;

export const contentColumnNames = namesOf(Object.keys(contentColumns));

/** A new package as the statement that writes it reads it, with its first movement. */
export interface NewPackageRow extends ContentRow {
  order_id: string;
  movement_id: string;
  origin_city: string;
  origin_state: string;
  /** The trace of the order's request. */
  traceparent?: TraceParent;
  /** Sealed, in hex; there only where a package has one. */
  pin?: string;
}

export const newPackageDefinition = `${definitionOf(contentColumns)}, order_id uuid, movement_id uuid, origin_city text, origin_state text, traceparent text`;

/**
 * Under ids and codes of its own; `keys` seal its PIN. What is spread comes last: V8 makes such a row many times faster than one that a
 * spread begins.
 */
export function newPackageRow(
  orderId: string,
  added: NewPackage,
  position: number,
  { trackingCode, barcode }: PackageCodes,
  keys: KeyRing,
): NewPackageRow {
  const { width, height, length, weight } = added.dimensions;
  const loggiKey = newIdBeside(orderId, position);
  const row: NewPackageRow = {
    order_id: orderId,
    loggi_key: loggiKey,
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
  if (added.hasPin) row.pin = newSealedPin(keys, loggiKey).toString('hex');
  return row;
}

/** What `NewPackageRow` and `PackageRow` have of a PIN, as bytes. */
export const sealedPinOf = ({ pin }: { pin?: string | null }): Buffer | null => (pin ? Buffer.from(pin, 'hex') : null);

type StateRow = JsonRow<
  Pick<Packages, 'account_id' | 'order_id' | 'seq' | 'status_code' | 'status_since' | 'created_at' | 'tracking_link'>
>;

/** A package as queries.ts reads it, in JSON. */
export interface PackageRow extends ContentRow, StateRow, MovementFacts {
  status_name: string;
  status_description: string;
  pickup: PlacedRow;
  returned_by: string | null;
  pin: string | null;
}

/**
 * The rows that toPackage takes, from tables `p` (packages), `m` (the current movement), `s` (its status) and `u` (the
 * pickup). Read as JSON, they can be had alone or gathered by order. A condition keeps the columns of `packageIds` near what is read.
 */
export const packageRows = `
  select
    ${namesOf(Object.keys(contentColumns), 'p')}, p.account_id, p.order_id, p.seq, p.status_code, p.status_since, p.created_at,
    p.tracking_link,
    s.name as status_name, s.description as status_description,
    ${FACT_COLUMNS},
    ${placedRow('u')} as pickup,
    (select r.order_id from package_returns r where r.loggi_key = p.loggi_key order by r.order_id desc limit 1) as returned_by,
    case when not s.final then (select encode(pin, 'hex') from delivery_pins where loggi_key = p.loggi_key) end as pin
  from packages p
  join package_statuses s on s.code = p.status_code
  join movements m on m.loggi_key = p.loggi_key and m.id = p.current_movement_id
  join pickups u on u.order_id = p.order_id and u.position = p.pickup_position`;

/** The ids by which the tables of `packageRows` are partitioned. */
export const packageIds = ['p.loggi_key', 'm.loggi_key', 'u.order_id'] as const;

/** What the column says: see migration 0015. */
export const validLink = (column: number | null): number | null =>
  column !== null && column < 0 ? null : (column ?? 0);

/** Field by field: an object of this size that begins with a spread costs many times as much. */
export function toPackage(row: PackageRow): Package {
  const { width, height, length, weight, instructions, pickup } = row;
  const { location, actionRequired, pickupAgency } = toFacts(row);
  const result: Package = {
    address: toAddress(row),
    place: toPlace(row),
    waypoint: toWaypoint(row),
    loggiKey: row.loggi_key,
    accountId: row.account_id,
    orderId: row.order_id,
    pickupIndex: row.pickup_position,
    pickupPlace: toPlace(pickup),
    pickupWaypoint: toWaypoint(pickup),
    trackingCode: row.tracking_code,
    barcode: row.barcode,
    trackingLink: validLink(row.tracking_link),
    recipient: { name: row.recipient_name, phone: row.recipient_phone },
    dimensions: { width, height, length, weight },
    items: row.items,
    status: {
      code: row.status_code,
      name: row.status_name,
      description: row.status_description,
      since: new Date(row.status_since),
      actionRequired,
      pickupAgency,
    },
    location,
    promisedDate: row.promised_date,
    seq: row.seq,
    returnedBy: row.returned_by,
    createdAt: new Date(row.created_at),
    sealedPin: sealedPinOf(row),
  };
  if (instructions !== null) result.instructions = instructions;
  return result;
}
