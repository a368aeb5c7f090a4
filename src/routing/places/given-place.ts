import type { Located, Location } from '../../base/place.js';
import { nameKey } from '../address/words.js';
import { usualAccuracy } from './accuracy.js';
import { embeddedCities } from './city-places.js';
import { STEPS } from './city-rows.js';
import { metresBetween } from './clusters.js';
import { of } from './columns.js';
import { type Municipality, municipalityNamed, type Point } from './municipalities.js';

// The tables have no borders. Coordinates clearly lie outside a municipality if other municipalities have known places
// near them, and the municipality itself has none for many times the distance. Of 3 000 known houses none was refused
// when the known places about it were left out; of those with the name of the nearest municipality 6 in 10 were, and
// nearly all with the name of any other.

/** Places known in a municipality from which on its built-up parts are known. */
const WELL_KNOWN = 50;
const SLACK = { known: 2_000, hardly: 20_000 } as const;
const TIMES = 3;

/** No place of Brazil is so far from all that is known. */
const FARTHEST_METRES = 250_000;
const WINDOW = (FARTHEST_METRES / 111_000) * STEPS;

/** The place of an address at the coordinates that came with it; refused if these lie outside its municipality. */
export function placedAt(located: Located, location: Location): Located {
  if (!located.ok) return located;
  const { place } = located;
  const { latitude, longitude, accuracyMetres = usualAccuracy.given } = location;
  const municipality = municipalityNamed(nameKey(place.city), place.state);
  if (municipality && isOutside(municipality, location, accuracyMetres)) {
    const message = `The location lies outside ${place.city} - ${place.state}, which the address names.`;
    return { ok: false, message, isOutside: true };
  }
  const given = { latitude, longitude, precision: 'given', accuracyMetres: Math.ceil(accuracyMetres) } as const;
  return { ok: true, place: { ...place, ...given } };
}

function isOutside(municipality: Municipality, at: Point, accuracyMetres: number): boolean {
  const { own, other, known } = nearest(municipality, at);
  if (Math.min(own, other) > FARTHEST_METRES) return true;
  const slack = known >= WELL_KNOWN ? SLACK.known : SLACK.hardly;
  return own > slack + accuracyMetres + TIMES * other;
}

/** Metres to the nearest known place of the municipality, and of others; `known` counts its places in the region. */
function nearest({ code, seat }: Municipality, at: Point) {
  const [north, east] = [at.latitude * STEPS, at.longitude * STEPS];
  const narrowing = Math.cos((at.latitude * Math.PI) / 180);
  let own = Number.POSITIVE_INFINITY;
  let other = Number.POSITIVE_INFINITY;
  let known = 0;
  for (const { latitude, longitude, codeAt } of embeddedCities().knownPoints()) {
    for (let row = 0; row < latitude.length; row++) {
      const away = of(latitude, row) - north;
      if (away > WINDOW || away < -WINDOW) continue;
      const aside = (of(longitude, row) - east) * narrowing;
      const square = away * away + aside * aside;
      if (square > WINDOW * WINDOW) continue;
      const owner = codeAt(row);
      if (owner === code) {
        known += 1;
        own = Math.min(own, square);
      } else if (owner !== 0) other = Math.min(other, square);
    }
  }
  const metres = (square: number): number => (Math.sqrt(square) / STEPS) * 111_195;
  return { own: Math.min(metres(own), metresBetween(at, seat)), other: metres(other), known };
}
