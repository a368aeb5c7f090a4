import { type ActionRequired, type Location, type MovementFacts, type PickupAgency, toFacts } from './movement.js';
import { type Stop, type StopRow, toAddress, toPlace, toWaypoint, type Waypoint } from './stop.js';

/** Sides in cm, weight in g. */
export interface Dimensions {
  width: number;
  height: number;
  length: number;
  weight: number;
}

export interface PackageItem {
  productId: string;
  quantity: number;
}

export interface Recipient {
  name: string;
  phone: string;
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

/** A package with its place in the order's route and its current state. */
export interface Package extends Stop {
  loggiKey: string;
  accountId: string;
  orderId: string;
  pickupIndex: number;
  pickupWaypoint: Waypoint;
  trackingCode: string;
  barcode: string;
  recipient: Recipient;
  dimensions: Dimensions;
  /** What the dimensions were derived from; null when they were given. */
  items: PackageItem[] | null;
  status: PackageStatus;
  /** Where it was when it entered the current status, as far as the movement says. */
  location: Location | null;
  /** YYYY-MM-DD: date of the first delivery attempt, in America/Sao_Paulo. */
  promisedDate: string;
  /** Number of movements so far. */
  seq: number;
  createdAt: Date;
}

/** A package as queries.ts reads it, in JSON. */
export interface PackageRow extends StopRow, Dimensions, MovementFacts {
  loggi_key: string;
  account_id: string;
  order_id: string;
  pickup_position: number;
  pickup_waypoint: { index: number; eta: string; legDistance: number };
  tracking_code: string;
  barcode: string;
  recipient_name: string;
  recipient_phone: string;
  items: PackageItem[] | null;
  promised_date: string;
  seq: number;
  created_at: string;
  status_code: number;
  status_name: string;
  status_description: string;
  status_since: string;
}

/** Field by field: an object of this size that begins with a spread costs many times as much. */
export function toPackage(row: PackageRow): Package {
  const { width, height, length, weight, instructions, pickup_waypoint: pickup } = row;
  const { location, actionRequired, pickupAgency } = toFacts(row);
  const found: Package = {
    address: toAddress(row),
    place: toPlace(row),
    waypoint: toWaypoint(row),
    loggiKey: row.loggi_key,
    accountId: row.account_id,
    orderId: row.order_id,
    pickupIndex: row.pickup_position,
    pickupWaypoint: { index: pickup.index, eta: new Date(pickup.eta), legDistance: pickup.legDistance },
    trackingCode: row.tracking_code,
    barcode: row.barcode,
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
    createdAt: new Date(row.created_at),
  };
  if (instructions !== null) found.instructions = instructions;
  return found;
}
