import type { Precision } from '../db/tables.js';

/** An address as it was given. */
export interface Address {
  address: string;
  complement?: string;
}

/** Where an address was placed, and how precisely. */
export interface ResolvedPlace {
  latitude: number;
  longitude: number;
  precision: Precision;
  city: string;
  /** UF. */
  state: string;
  district?: string;
  /** CEP, 8 digits. */
  postalCode?: string;
}

/** A stop of the order's route: its place in it from 0, the arrival, the metres from the stop before it. */
export interface Waypoint {
  index: number;
  eta: Date;
  legDistance: number;
}

/** What a pickup and a delivery have in common. */
export interface Stop {
  address: Address;
  instructions?: string;
  place: ResolvedPlace;
  waypoint: Waypoint;
}

/** The columns of a stop as JSON carries them: times are texts. */
export interface StopRow {
  address: string;
  complement: string | null;
  instructions: string | null;
  latitude: number;
  longitude: number;
  precision: Precision;
  city: string;
  state: string;
  district: string | null;
  postal_code: string | null;
  waypoint_index: number;
  eta: string;
  leg_metres: number;
}

export function toStop(row: StopRow): Stop {
  const { instructions } = row;
  const stop = { address: toAddress(row), place: toPlace(row), waypoint: toWaypoint(row) };
  return instructions === null ? stop : { ...stop, instructions };
}

export function toAddress({ address, complement }: StopRow): Address {
  return complement === null ? { address } : { address, complement };
}

export function toPlace(row: StopRow): ResolvedPlace {
  const { latitude, longitude, precision, city, state, district, postal_code } = row;
  const place: ResolvedPlace = { latitude, longitude, precision, city, state };
  if (district !== null) place.district = district;
  if (postal_code !== null) place.postalCode = postal_code;
  return place;
}

export function toWaypoint({ waypoint_index, eta, leg_metres }: StopRow): Waypoint {
  return { index: waypoint_index, eta: new Date(eta), legDistance: leg_metres };
}

/** The stop that something with more to it is. */
export function stopOf({ address, instructions, place, waypoint }: Stop): Stop {
  return instructions === undefined ? { address, place, waypoint } : { address, instructions, place, waypoint };
}

export function stopRow({ address, instructions, place, waypoint }: Stop): StopRow {
  return {
    address: address.address,
    complement: address.complement ?? null,
    instructions: instructions ?? null,
    latitude: place.latitude,
    longitude: place.longitude,
    precision: place.precision,
    city: place.city,
    state: place.state,
    district: place.district ?? null,
    postal_code: place.postalCode ?? null,
    waypoint_index: waypoint.index,
    eta: waypoint.eta.toISOString(),
    leg_metres: waypoint.legDistance,
  };
}
