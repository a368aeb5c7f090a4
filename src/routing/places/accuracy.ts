import type { Place, Precision } from '../../base/place.js';
import { nameKey } from '../address/words.js';
import table from '../data/accuracy.json' with { type: 'json' };
import { embeddedCities } from './city-places.js';
import { type Municipality, municipalityNamed } from './municipalities.js';
import { postalCodeCounts } from './postal-codes.js';

/**
 * The finest fact that is known of an address. `town`: the tables know its municipality alone. `number`: they know
 * house numbers about its own. `part`: they know only what lies about the parts of its street.
 */
export type Known = Precision | 'town' | 'rural' | 'number' | 'part';

/** Metres of places that nobody measures: those of another geocoder, and those that a release before 1.6 stored. */
export const usualAccuracy: Readonly<Record<Place['precision'], number>> = {
  given: 50,
  rooftop: 20,
  street: 280,
  postal_code: 500,
  district: 1_000,
  city: 4_300,
};

/** Legs of an address known by its municipality alone count so many times the metres between two of its addresses. */
const TOWN_IN_LEGS = 1.4;

/** Counts of CEPs, used or not, from which on a municipality is of the next size. */
const sizes = [20_000, 100_000, 1_000_000];

export function sizeOf({ code }: Municipality): number {
  const count = postalCodeCounts.get(code) ?? 0;
  return sizes.filter((least) => count >= least).length;
}

/**
 * Metres within which nine of ten addresses lie where so many are expected; lab/bench/accuracy.ts measures it. For a
 * `town`, with a known municipality only, the expected distances are those between two of its addresses.
 */
export const accuracyOf = (known: Known, expectedMetres: number, municipality: Municipality): number =>
  Math.ceil(factorOf(known, municipality) * expectedMetres) + (known === 'number' ? DOOR : 0);

/** Metres from a door, where house numbers are measured, to the middle of its building: a school, a shop. */
const DOOR = 90;

const factorOf = (known: Known, municipality: Municipality): number => table[known][sizeOf(municipality)] ?? 1;

/**
 * Metres by which legs count that a place is coarse. In a larger city nine of ten lie within fewer times the metres
 * between two addresses, but a leg goes by these.
 */
export function spreadMetres({ accuracyMetres, precision, city, state }: Place): number {
  if (accuracyMetres === undefined) return usualAccuracy[precision];
  const municipality = precision === 'city' ? municipalityNamed(nameKey(city), state) : undefined;
  if (!municipality) return accuracyMetres;
  const asTown = (TOWN_IN_LEGS * accuracyMetres) / factorOf('town', municipality);
  // In the country the error of an address is usually smaller than the distance between two addresses.
  return Math.min(asTown, Math.max(usualSpread(municipality), accuracyMetres / factorOf('rural', municipality)));
}

const usualSpread = (municipality: Municipality): number => TOWN_IN_LEGS * embeddedCities().townOf(municipality).metres;
