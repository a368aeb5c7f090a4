import type { Coordinates, Place, Waypoint } from '../base/place.js';
import type { JsonRow } from '../db/columns.js';
import type { Pickups, StopColumns } from '../db/tables/database.js';

export interface Address {
  address: string;
  complement?: string;
  location?: Coordinates;
}

export interface Stop {
  address: Address;
  instructions?: string;
  place: Place;
  waypoint: Waypoint;
}

/** The person or shop that hands packages over at a pickup. */
export interface Sender {
  name: string;
  phone?: string;
}

/** A stop at which packages are collected. If `sender` is null, the account hands them over. */
export interface Pickup extends Stop {
  sender: Sender | null;
}

export type StopRow = JsonRow<StopColumns>;

type SenderRow = Pick<Pickups, 'sender_name' | 'sender_phone'>;

/** The part of a pickup that is shown with its packages. */
export type PickupPartRow = PlacedRow & SenderRow;

export type PlacedRow = Omit<StopRow, 'address' | 'complement' | 'instructions'>;

const placedColumns = {
  latitude: 'double precision',
  longitude: 'double precision',
  precision: 'text',
  accuracy_metres: 'integer',
  city: 'text',
  state: 'text',
  district: 'text',
  postal_code: 'text',
  waypoint_index: 'smallint',
  eta: 'timestamptz',
  leg_metres: 'integer',
  location_given: 'boolean',
} as const satisfies Record<keyof PlacedRow, string>;

export const stopColumns = {
  address: 'text',
  complement: 'text',
  instructions: 'text',
  ...placedColumns,
} as const satisfies Record<keyof StopColumns, string>;

/** SQL of a `PickupPartRow` from a table of pickups. */
export function pickupPartRow(table: string): string {
  const names = [...Object.keys(placedColumns), ...Object.keys(senderColumns)];
  return `json_build_object(${names.map((name) => `'${name}', ${table}.${name}`).join(', ')})`;
}

/** Columns that only pickups have. Null without a sender. */
export const senderColumns = { sender_name: 'text', sender_phone: 'text' } as const satisfies Record<
  keyof SenderRow,
  string
>;

export const toPickup = (row: StopRow & SenderRow): Pickup => ({ ...toStop(row), sender: toSender(row) });

/** The sender of a row. Null if the account itself is the sender. */
export function toSender({ sender_name: name, sender_phone: phone }: SenderRow): Sender | null {
  return name === null ? null : { name, ...(phone !== null && { phone }) };
}

/** A sender in the form of the contracts of REST and of the operator's interface. */
export const shownSender = (sender: Sender | null) => (sender ? { name: sender.name, phone: sender.phone } : undefined);

function toStop(row: StopRow): Stop {
  const { instructions } = row;
  const stop = { address: toStopAddress(row), place: toPlace(row), waypoint: toWaypoint(row) };
  return instructions === null ? stop : { ...stop, instructions };
}

export function toAddress({ address, complement }: Pick<StopRow, 'address' | 'complement'>): Address {
  return complement === null ? { address } : { address, complement };
}

/** The address of a stop, with the coordinates that came with it. */
export function toStopAddress(row: StopRow): Address {
  const { latitude, longitude, accuracy_metres: accuracyMetres } = row;
  if (!row.location_given) return toAddress(row);
  return { ...toAddress(row), location: { latitude, longitude, ...(accuracyMetres !== null && { accuracyMetres }) } };
}

export function toPlace(row: PlacedRow): Place {
  const { latitude, longitude, accuracy_metres: accuracyMetres, city, state, district, postal_code } = row;
  return {
    latitude,
    longitude,
    precision: row.location_given ? 'given' : row.precision,
    ...(accuracyMetres !== null && { accuracyMetres }),
    city,
    state,
    ...(district !== null && { district }),
    ...(postal_code !== null && { postalCode: postal_code }),
  };
}

/** A place in the form of the contracts of REST and of the operator's interface. */
export function shownPlace(place: Place) {
  const { latitude, longitude, precision, accuracyMetres, city, state, district, postalCode: postal_code } = place;
  return { latitude, longitude, precision, accuracy_metres: accuracyMetres, city, state, district, postal_code };
}

export function toWaypoint({ waypoint_index, eta, leg_metres }: PlacedRow): Waypoint {
  return { index: waypoint_index, eta: new Date(eta), legDistance: leg_metres };
}

export function stopRow({ address, instructions, place, waypoint }: Stop): StopRow {
  return {
    address: address.address,
    complement: address.complement ?? null,
    instructions: instructions ?? null,
    latitude: place.latitude,
    longitude: place.longitude,
    precision: place.precision === 'given' ? 'rooftop' : place.precision,
    accuracy_metres: place.accuracyMetres ?? null,
    city: place.city,
    state: place.state,
    district: place.district ?? null,
    postal_code: place.postalCode ?? null,
    waypoint_index: waypoint.index,
    eta: waypoint.eta.toISOString(),
    leg_metres: waypoint.legDistance,
    location_given: place.precision === 'given' || null,
  };
}
