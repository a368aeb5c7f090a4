import type { Place, Precision } from '../../base/place.js';
import { nameKey } from '../address/words.js';
import table from '../data/accuracy.json' with { type: 'json' };
import { embeddedCities } from './city-places.js';
import { type Municipality, municipalityNamed } from './municipalities.js';
import { postalCodeCounts } from './postal-codes.js';

/**
 * The finest fact that is known about an address. `town`: the tables know only its municipality. `number`: they know
 * house numbers near its own. `part`: they know only the surroundings of its street's parts.
 */
export type Known = Precision | 'town' | 'rural' | 'number' | 'part';

/** Metres for places without a measurement: those of another geocoder, and those that a release before 1.6 stored. */
export const usualAccuracy: Readonly<Record<Place['precision'], number>> = {
  given: 50,
  rooftop: 20,
  street: 280,
  postal_code: 500,
  district: 1_000,
  city: 4_300,
};

/**
 * Factor for the legs of an address with only a known municipality. It multiplies the metres between two of
 * its addresses.
 */
const TOWN_IN_LEGS = 1.4;

/** Least counts of CEPs, used or not, of the second, third and fourth size of municipalities. */
const sizes = [20_000, 100_000, 1_000_000];

export function sizeOf({ code }: Municipality): number {
  const count = postalCodeCounts.get(code) ?? 0;
  return sizes.filter((least) => count >= least).length;
}

/**
 * Metres within which nine of ten addresses lie if `expectedMetres` are expected. lab/bench/accuracy.ts measures the
 * factors. For a `town` the expected metres are those between two of its addresses.
 */
export const accuracyOf = (known: Known, expectedMetres: number, municipality: Municipality): number =>
  Math.ceil(factorOf(known, municipality) * expectedMetres) + (known === 'number' ? DOOR : 0);

/** Metres from a door, where house numbers are measured, to the middle of a building such as a school or a shop. */
const DOOR = 90;

const factorOf = (known: Known, municipality: Municipality): number => table[known][sizeOf(municipality)] ?? 1;

/**
 * Metres that a coarse place adds to its legs. In a larger city, nine of ten addresses lie within a smaller multiple of
 * the metres between two addresses. A leg depends on those metres, so the multiple is divided out.
 */
export function spreadMetres({ accuracyMetres, precision, city, state }: Place): number {
  if (accuracyMetres === undefined) return usualAccuracy[precision];
  const municipality = precision === 'city' ? municipalityNamed(nameKey(city), state) : undefined;
  if (!municipality) return accuracyMetres;
  const asTown = (TOWN_IN_LEGS * accuracyMetres) / factorOf('town', municipality);
  // In the countryside an address is usually less far off than two addresses are apart.
  return Math.min(asTown, Math.max(usualSpread(municipality), accuracyMetres / factorOf('rural', municipality)));
}

const usualSpread = (municipality: Municipality): number => TOWN_IN_LEGS * embeddedCities().townOf(municipality).metres;
