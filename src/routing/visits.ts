import type { Place } from '../base/place.js';
import { computedOnce, listIn } from '../base/values.js';
import { readOnce } from './address/embedded-geocoder.js';
import type { Reading } from './address/reading.js';
import { looseKey } from './address/spelling.js';
import { wordsOf } from './address/words.js';
import { kindOfStreet } from './places/city-places.js';
import { withAccuracyOfTown } from './places/place-of.js';

interface RouteStop {
  address: string;
  complement?: string | undefined;
  place: Place;
}

export interface RouteStops {
  pickups: readonly RouteStop[];
  deliveries: readonly DeliveryStop[];
}

interface DeliveryStop extends RouteStop {
  pickupIndex: number;
  /** `YYYY-MM-DD`: the first day on which the package may be delivered. */
  firstDay?: string | null;
}

interface KeyedStop extends RouteStop {
  stop: number;
  key: string;
  pickupKey: string;
}

/** Groups the stops at one address into visits. The order of the visits does not depend on the order of the lists. */
export function toVisits({ pickups, deliveries }: RouteStops) {
  const keys = [...pickups, ...deliveries].map(keyOf);
  const keyed = (each: RouteStop, stop: number, pickup: number): KeyedStop => {
    return { ...each, stop, key: keys[stop] ?? '', pickupKey: keys[pickup] ?? '' };
  };
  const atPickups = byAddress(pickups.map((pickup, at) => keyed(pickup, at, at)));
  const atDeliveries = byAddress(deliveries.map((each, at) => keyed(each, pickups.length + at, each.pickupIndex)));
  const visits = [...atPickups, ...atDeliveries];
  const places = new Map<string, Place>();
  for (const stop of visits.flat()) if (!places.has(stop.key)) places.set(stop.key, placeForLegs(stop));
  const placeKeys = [...places.keys()];
  const pickupVisits = atPickups.map(([first]) => first?.key);
  return {
    pickups: atPickups.length,
    pickupOf: atDeliveries.map(([first]) => pickupVisits.indexOf(first?.pickupKey)),
    places: [...places.values()],
    // Indexed by stop number: pickups first, then deliveries, in the order of the lists.
    placeOf: keys.map((key) => placeKeys.indexOf(key)),
    stopsOf: visits.map((stops) => stops.map(({ stop }) => stop)),
  };
}

/**
 * The key that stops at one address share. Stops with given coordinates share it if the coordinates are equal. Other
 * stops share it if municipality, street, number and CEP are read as the same. If street or number were not read, the
 * whole text and the complement count.
 */
const keyOf = ({ address, complement = '', place }: RouteStop): string =>
  (place.precision === 'given' ? `${place.latitude} ${place.longitude}` : houseOf(readOnce(address))) ??
  `${wordsOf(address).join(' ')}\n${wordsOf(complement).join(' ')}`;

const placeForLegs = ({ address, place }: RouteStop): Place =>
  place.precision === 'city' && houseOf(readOnce(address)) === undefined ? placeWithoutHouse(place) : place;

/**
 * The place of a stop for which only the municipality is known. Its legs are those between two random addresses there.
 */
export const placeWithoutHouse = (place: Place): Place =>
  place.precision === 'city' ? withAccuracyOfTown(place) : place;

const houseOf = computedOnce((reading: Reading): string | undefined => {
  if (!reading.ok || reading.street === undefined) return undefined;
  const { words, number, key, lots = [] } = reading.street;
  const isLot = lots.some((lot) => lot.startsWith('lote '));
  // A block of Brasília counts as a house.
  if (number === undefined && !isLot && !words.includes('bloco')) return undefined;
  const kind = kindOfStreet(reading.municipality, key);
  const house = number === undefined ? '' : Number.parseInt(number, 10);
  // Each part of a city numbers its quadras and lots from 1, so the neighbourhood belongs to the key.
  const inside = (number === undefined && isLot) || key.kind === 'quadra' ? looseKey(reading.neighbourhood ?? []) : '';
  return [reading.municipality.code, kind, key.name, house, ...lots, inside, reading.postalCode].join('|');
});

function byAddress(stops: readonly KeyedStop[]): KeyedStop[][] {
  const groups = new Map<string, KeyedStop[]>();
  for (const stop of stops) listIn(groups, `${stop.key}\n${stop.pickupKey}`, stop);
  const sorted = [...groups].sort(([a], [b]) => compare(a, b));
  return sorted.map(([, group]) => group.sort((a, b) => compare(textOf(a), textOf(b))));
}

const textOf = ({ address, complement = '' }: RouteStop): string => `${address}\n${complement}`;

/** Compares by code units, so that the order is the same on every machine. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
