import type { Coordinates, Place, Waypoint } from '../base/place.js';
import type { JsonRow } from '../db/columns.js';
import type { StopColumns } from '../db/tables/database.js';

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

export type StopRow = JsonRow<StopColumns>;

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

export function placedRow(table: string): string {
  const pairs = Object.keys(placedColumns).map((name) => `'${name}', ${table}.${name}`);
  return `json_build_object(${pairs.join(', ')})`;
}

export function toStop(row: StopRow): Stop {
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

/** A place as the contracts of REST and of the operator's interface show it. */
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
