/** How far addresses are placed from where they lie, by tables that know neither them nor what they share with others. */
import { createHash } from 'node:crypto';
import type { Place } from '../../../src/base/place.js';
import type { Read } from '../../../src/routing/address/reading.js';
import { looseKey } from '../../../src/routing/address/spelling.js';
import { nameKey } from '../../../src/routing/address/words.js';
import { CityTable } from '../../../src/routing/places/city-places.js';
import { metresBetween } from '../../../src/routing/places/clusters.js';
import { municipalityOfCode } from '../../../src/routing/places/municipalities.js';
import { placeOf } from '../../../src/routing/places/place-of.js';
import { streetKey } from '../../../src/routing/places/street-key.js';
import { cityLines } from '../../places/cities.js';
import { type AddressedPoint, addressedPoints, neighbourhoodRows } from '../../places/sources.js';

/** Parts that the points are cut into; each is placed by a table of the others. */
const FOLDS = 5;

export interface Placed {
  point: AddressedPoint;
  place: Place;
  /** Metres between the place and the point. */
  off: number;
}

const keyOf = (name: string): string => looseKey(nameKey(name).split(' '));
const streetOf = (point: AddressedPoint): string => `${point.ibge} ${streetKey(nameKey(point.street).split(' ')).name}`;

/** What is left out together, as a whole: a street, a neighbourhood (a point without one goes with its street), or one address. */
export const splits = {
  street: streetOf,
  neighbourhood: (point) => (point.neighbourhood ? `${point.ibge} ${keyOf(point.neighbourhood)}` : streetOf(point)),
  address: ({ ibge, latitude, longitude }) => `${ibge} ${latitude} ${longitude}`,
} satisfies Record<string, (point: AddressedPoint) => string>;

function foldOf(key: string): number {
  return createHash('sha256').update(key).digest().readUInt32BE() % FOLDS;
}

/** Every point, placed by a table from which its part is left out. */
export function placeHeldOut(split: keyof typeof splits): Placed[] {
  const points = addressedPoints().map((point) => ({ point, fold: foldOf(splits[split](point)) }));
  const rows = neighbourhoodRows();
  return Array.from({ length: FOLDS }, (_, fold) => {
    const known = points.filter((entry) => entry.fold !== fold).map(({ point }) => point);
    const cities = new CityTable(Buffer.from(cityLines(known, rows).join('\n')));
    return points.filter((entry) => entry.fold === fold).map(({ point }) => score(point, cities));
  }).flat();
}

function score(point: AddressedPoint, cities: CityTable): Placed {
  const place = placeOf(readingOf(point), cities);
  return { point, place, off: metresBetween(point, place) };
}

/** What is read of an address that says all that the point has. */
function readingOf({ ibge, street, number, neighbourhood, cep }: AddressedPoint): Read {
  const municipality = municipalityOfCode(Number(ibge));
  if (municipality === undefined) throw new Error(`no municipality has the code ${ibge}`);
  return {
    ok: true,
    municipality,
    street: { words: nameKey(street).split(' '), ...(number && { number }) },
    ...(neighbourhood && { neighbourhood: nameKey(neighbourhood).split(' ') }),
    ...(cep && { postalCode: cep }),
  };
}

/** The value that this share of the list does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
