import type { Coordinates, Located } from '../../base/place.js';
import { nameKey } from '../address/words.js';
import { usualAccuracy } from './accuracy.js';
import { embeddedCities } from './city-places.js';
import { metresBetween } from './clusters.js';
import { CELL_METRES, knownGrid } from './known-grid.js';
import { type Municipality, municipalityNamed, type Point } from './municipalities.js';

// The tables have no borders. Coordinates clearly lie outside a municipality if other municipalities have known places
// near them, and the municipality itself has none for many times the distance. Measured with 3 000 known houses, each
// without the known places around it: none was refused. With the name of the nearest municipality instead, 6 in 10 were
// refused. With the name of any other, nearly all were.

/** Least count of known places in a municipality. With fewer, its built-up parts are not known well. */
const WELL_KNOWN = 50;
const slackMetres = { known: 2_000, hardly: 20_000 } as const;
const TIMES = 3;
/** No place in Brazil is so far from every known place. */
const FARTHEST_METRES = 250_000;

/** Places an address at the coordinates that came with it. Refuses coordinates outside its municipality. */
export function placedAt(located: Located, location: Coordinates): Located {
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

/** Searches cells further and further away, until no place in the next cells could change the result. */
function isOutside({ code, seat }: Municipality, at: Point, accuracyMetres: number): boolean {
  const grid = knownGrid(embeddedCities());
  const slack = (grid.countOf(code) >= WELL_KNOWN ? slackMetres.known : slackMetres.hardly) + accuracyMetres;
  const nearest = { own: metresBetween(at, seat), other: Number.POSITIVE_INFINITY };
  const bound = () => slack + TIMES * nearest.other;
  for (let away = 0; (away - 1) * CELL_METRES < Math.min(bound(), FARTHEST_METRES); away++) {
    grid.look(at, away, code, nearest);
    if (nearest.own <= slack) return false;
  }
  return Math.min(nearest.own, nearest.other) > FARTHEST_METRES || nearest.own > bound();
}
