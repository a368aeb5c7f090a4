import type { Place, Precision } from '../../base/place.js';
import type { Read } from '../address/reading.js';
import { embeddedCities } from './city-places.js';
import { metresBetween, weightedMean } from './clusters.js';
import { type Evidence, evidenceOf, neighbourhoodKey } from './evidence.js';

/** What is expected to be further off, in metres, is called by the next coarser precision. */
const limits: readonly [precision: Precision, metres: number][] = [
  ['street', 500],
  ['postal_code', 700],
  ['district', 1_200],
];

/** Two pieces of evidence agree that are no further apart than so many times what both are expected to be off. */
const AGREE = 2.5;

/** Where a reading's place lies: by all that it says and is known in its city, the surer the more; else at the seat. */
export function placeOf(reading: Read, cities = embeddedCities()): Place {
  const { municipality, district, postalCode } = reading;
  const city = cities.cityOf(municipality);
  const evidence = evidenceOf(reading, city);
  const best = evidence.reduce((a, b) => (b.metres < a.metres ? b : a));
  const { latitude, longitude } = weightedMean(evidence.filter((other) => agree(other, best)));
  const name = city.neighbourhoods.get(neighbourhoodKey(reading))?.name ?? district?.name;
  return {
    latitude,
    longitude,
    precision: honest(best),
    city: municipality.name,
    state: municipality.state,
    ...(name !== undefined && { district: name }),
    ...(postalCode !== undefined && { postalCode }),
  };
}

function agree(a: Evidence, b: Evidence): boolean {
  return metresBetween(a.at, b.at) <= AGREE * (a.metres + b.metres);
}

/** The finest precision that the evidence allows, no finer than its own. */
function honest({ precision, metres }: Evidence): Precision {
  const from = limits.findIndex(([listed]) => listed === precision);
  const held = from < 0 ? undefined : limits.slice(from).find(([, limit]) => metres <= limit);
  return held?.[0] ?? 'city';
}
