/** Errors of the places of addresses, by tables that know neither them nor what they share with others. */
import { createHash } from 'node:crypto';
import { cityTable } from '../../../scripts/places/cities.js';
import { type AddressedPoint, addressedPoints, neighbourhoodRows } from '../../../scripts/places/sources.js';
import type { Place } from '../../../src/base/place.js';
import { readAddress } from '../../../src/routing/address/embedded-geocoder.js';
import { looseKey } from '../../../src/routing/address/spelling.js';
import { nameKey } from '../../../src/routing/address/words.js';
import { CityTable } from '../../../src/routing/places/city-table.js';
import { metresBetween } from '../../../src/routing/places/clusters.js';
import { type Municipality, municipalityOfCode } from '../../../src/routing/places/municipalities.js';
import { placeOf } from '../../../src/routing/places/place-of.js';
import { streetKey } from '../../../src/routing/places/street-key.js';

/** Parts that the points are cut into; each is placed by a table of the others. */
const FOLDS = 5;

export interface Placed {
  point: AddressedPoint;
  /** None where the address is refused. */
  place: Place | undefined;
  /** Metres between the place and the point; of a refused address those to the seat. */
  off: number;
}

type Write = (point: AddressedPoint, municipality: Municipality) => string[];

const keyOf = (name: string): string => looseKey(nameKey(name).split(' '));
const streetOf = (point: AddressedPoint): string => `${point.ibge} ${streetKey(nameKey(point.street).split(' ')).name}`;

/**
 * Groups that are left out as a whole: a street, a neighbourhood (a point without one goes with its street), or one
 * address.
 */
export const splits = {
  street: streetOf,
  neighbourhood: (point) => (point.neighbourhood ? `${point.ibge} ${keyOf(point.neighbourhood)}` : streetOf(point)),
  address: ({ ibge, latitude, longitude }) => `${ibge} ${latitude} ${longitude}`,
} satisfies Record<string, (point: AddressedPoint) => string>;

function foldOf(key: string): number {
  return createHash('sha256').update(key).digest().readUInt32BE() % FOLDS;
}

/** Every point, written with all that is known of it, placed by a table from which its part is left out. */
export function placeHeldOut(split: keyof typeof splits): Placed[] {
  return placeWritten(split, (point, municipality) => [written(point, municipality)]);
}

/** Every point, written in several ways, placed by a table from which its part is left out. */
export function placeWritten(split: keyof typeof splits, write: Write): Placed[] {
  const points = addressedPoints().map((point) => ({ point, fold: foldOf(splits[split](point)) }));
  const rows = neighbourhoodRows();
  return Array.from({ length: FOLDS }, (_, fold) => {
    const known = points.filter((entry) => entry.fold !== fold).map(({ point }) => point);
    const cities = new CityTable(cityTable({ points: known, neighbourhoods: rows, streets: [], registers: [] }));
    return points.filter((entry) => entry.fold === fold).flatMap(({ point }) => score(point, cities, write));
  }).flat();
}

function score(point: AddressedPoint, cities: CityTable, write: Write): Placed[] {
  const municipality = municipalityOfCode(Number(point.ibge));
  if (municipality === undefined) throw new Error(`no municipality has the code ${point.ibge}`);
  return write(point, municipality).map((address) => {
    const reading = readAddress(address);
    const place = reading.ok ? placeOf(reading, cities) : undefined;
    return { point, place, off: metresBetween(point, place ?? municipality.seat) };
  });
}

/** The point's address, as the messages of the service ask for it. */
function written({ street, number, neighbourhood, cep }: AddressedPoint, { name, state }: Municipality): string {
  const first = number ? `${street}, ${number}` : street;
  const last = `${name} - ${state}${cep && `, ${cep.slice(0, 5)}-${cep.slice(5)}`}`;
  return neighbourhood ? `${first} - ${neighbourhood}, ${last}` : `${first}, ${last}`;
}

/** An address as people write it: with all that is known, without some of it, and the city alone. */
export function forms(point: AddressedPoint, municipality: Municipality): string[] {
  const without = [{}, { cep: '' }, { neighbourhood: '' }, { cep: '', neighbourhood: '' }];
  const texts = without.map((left) => written({ ...point, ...left }, municipality));
  return [...new Set([...texts, `${municipality.name} - ${municipality.state}`])];
}
