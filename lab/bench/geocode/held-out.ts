/**
 * Measures the error of places. The tables used know neither the address nor anything it shares with others, such as
 * its street.
 */
import { createHash } from 'node:crypto';
import { cityTable } from '../../../scripts/places/cities.js';
import { districtRows } from '../../../scripts/places/geonames.js';
import {
  type AddressedPoint,
  addressedPoints,
  neighbourhoodRows,
  streetRows,
} from '../../../scripts/places/sources.js';
import type { Place } from '../../../src/base/place.js';
import { readAddress } from '../../../src/routing/address/embedded-geocoder.js';
import { looseKey } from '../../../src/routing/address/spelling.js';
import { nameKey } from '../../../src/routing/address/words.js';
import type { Known } from '../../../src/routing/places/accuracy.js';
import { CityTable } from '../../../src/routing/places/city-table.js';
import { metresBetween } from '../../../src/routing/places/clusters.js';
import { type Municipality, municipalityOfCode } from '../../../src/routing/places/municipalities.js';
import { placeAndBasis, placeOf } from '../../../src/routing/places/place-of.js';
import { streetKey } from '../../../src/routing/places/street-key.js';

/** The number of folds. A table of all other folds places the points of each fold. */
const FOLDS = 5;

export interface Placed {
  point: AddressedPoint;
  form: string;
  /** Undefined if the address is refused. */
  place: Place | undefined;
  /** The kind of the place, which sets its accuracy. */
  known: Known | undefined;
  /** Metres between the place and the point. For a refused address, metres between the seat and the point. */
  off: number;
  /** The place of the municipality alone, from the same table. */
  town: Place;
}

type Write = (point: AddressedPoint, municipality: Municipality) => string;

const keyOf = (name: string): string => looseKey(nameKey(name).split(' '));
const streetOf = (point: AddressedPoint): string => `${point.ibge} ${streetKey(nameKey(point.street).split(' ')).name}`;

/**
 * Points that are left out together: a street, a neighbourhood (points without one follow their street), or one
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

/** Places every point by its full address, from a table without the point's fold. */
export const placeHeldOut = (split: keyof typeof splits): Placed[] => placeWritten(split, { full: written });

/** Places every point of the first folds in several forms of its address, from a table without the point's fold. */
export function placeWritten(
  split: keyof typeof splits,
  forms: Readonly<Record<string, Write>>,
  folds = FOLDS,
): Placed[] {
  const points = addressedPoints().map((point) => ({ point, fold: foldOf(splits[split](point)) }));
  const rest = { neighbourhoods: neighbourhoodRows(), streets: streetRows(), registers: [], districts: districtRows() };
  return Array.from({ length: folds }, (_, fold) => {
    const known = points.filter((entry) => entry.fold !== fold).map(({ point }) => point);
    const cities = new CityTable(cityTable({ ...rest, points: known }));
    return points.filter((entry) => entry.fold === fold).flatMap(({ point }) => score(point, cities, forms));
  }).flat();
}

export function municipalityOf(ibge: string): Municipality {
  const known = municipalityOfCode(Number(ibge));
  if (known === undefined) throw new Error(`no municipality has the code ${ibge}`);
  return known;
}

function score(point: AddressedPoint, cities: CityTable, forms: Readonly<Record<string, Write>>): Placed[] {
  const municipality = municipalityOf(point.ibge);
  const texts = Object.entries(forms).map(([form, write]) => ({ form, address: write(point, municipality) }));
  const isFirst = ({ address }: { address: string }, at: number): boolean =>
    texts.findIndex((other) => other.address === address) === at;
  const town = placeOf({ ok: true, municipality }, cities);
  return texts.filter(isFirst).map(({ form, address }) => {
    const reading = readAddress(address);
    const { place, known } = reading.ok ? placeAndBasis(reading, cities) : {};
    return { point, form, place, known, off: metresBetween(point, place ?? municipality.seat), town };
  });
}

/** The point's address in the form that the service's messages ask for. */
function written({ street, number, neighbourhood, cep }: AddressedPoint, { name, state }: Municipality): string {
  const first = number ? `${street}, ${number}` : street;
  const last = `${name} - ${state}${cep && `, ${cep.slice(0, 5)}-${cep.slice(5)}`}`;
  return neighbourhood ? `${first} - ${neighbourhood}, ${last}` : `${first}, ${last}`;
}

/** Forms of an address as people write it: complete, and with some parts missing. */
export const forms: Readonly<Record<string, Write>> = {
  'with all': written,
  'without CEP': (point, municipality) => written({ ...point, cep: '' }, municipality),
  'without neighbourhood': (point, municipality) => written({ ...point, neighbourhood: '' }, municipality),
  'street and city': (point, municipality) => written({ ...point, cep: '', neighbourhood: '' }, municipality),
};
