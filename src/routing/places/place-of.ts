import type { Place, Precision } from '../../base/place.js';
import type { Read } from '../address/reading.js';
import { embeddedCities } from './city-places.js';
import { metresBetween, weightedMean } from './clusters.js';
import { type Evidence, evidenceOf, neighbourhoodKey } from './evidence.js';

/** Finest first: how many metres off a place of each precision may be expected to be. Any other is known as its city is. */
const limits: readonly [precision: Precision, metres: number][] = [
  ['street', 500],
  ['postal_code', 500],
  ['district', 1_600],
];

/** Two pieces of evidence agree that are no further apart than so many times what both are expected to be off. */
const AGREE = 2.5;
/** Where CEP and neighbourhood do not agree it is mostly the CEP that is wrong. */
const DOUBT_OF_POSTAL_CODE = 1.5;

/** Where a reading's place lies: by all that it says and is known in its city, the surer the more; else at the seat. */
export function placeOf(reading: Read, cities = embeddedCities()): Place {
  const { municipality, district, postalCode } = reading;
  const city = cities.cityOf(municipality);
  const evidence = evidenceOf(reading, city);
  const surest = evidence.reduce((a, b) => (doubt(b) < doubt(a) ? b : a));
  const agreed = evidence.filter((other) => agree(other, surest));
  const isContradicted = evidence.some((other) => other.precision !== 'city' && !agreed.includes(other));
  const { latitude, longitude } = weightedMean(agreed);
  const name = city.neighbourhoods.get(neighbourhoodKey(reading))?.name ?? district?.name;
  return {
    latitude: toMetre(latitude),
    longitude: toMetre(longitude),
    precision: isContradicted ? 'city' : precisionOf(agreed),
    city: municipality.name,
    state: municipality.state,
    ...(name !== undefined && { district: name }),
    ...(postalCode !== undefined && { postalCode }),
  };
}

/** Degrees to five places, about a metre: what follows says nothing. */
const toMetre = (degrees: number): number => Math.round(degrees * 1e5) / 1e5;

function doubt({ precision, metres }: Evidence): number {
  return precision === 'postal_code' ? DOUBT_OF_POSTAL_CODE * metres : metres;
}

function agree(a: Evidence, b: Evidence): boolean {
  return metresBetween(a.at, b.at) <= AGREE * (a.metres + b.metres);
}

/** The finest precision that some of the evidence has, and holds the limit of. */
function precisionOf(evidence: readonly Evidence[]): Precision {
  const rankOf = (precision: Precision): number => limits.findIndex(([listed]) => listed === precision);
  const reached = limits.find(([, limit], rank) =>
    evidence.some(({ precision, metres }) => precision !== 'city' && rankOf(precision) <= rank && metres <= limit),
  );
  return reached?.[0] ?? 'city';
}
