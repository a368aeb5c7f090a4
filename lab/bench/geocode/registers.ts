/**
 * Measures the places of `street, number, city - UF` against the parts of city registers that were left out of the
 * table.
 */
import { createHash } from 'node:crypto';
import { cityTable } from '../../../scripts/places/cities.js';
import { districtRows } from '../../../scripts/places/geonames.js';
import {
  type AddressedPoint,
  addressedPoints,
  neighbourhoodRows,
  registerPoints,
  streetRows,
} from '../../../scripts/places/sources.js';
import type { Place } from '../../../src/base/place.js';
import { readAddress } from '../../../src/routing/address/embedded-geocoder.js';
import { fullName } from '../../../src/routing/address/reading.js';
import type { Known } from '../../../src/routing/places/accuracy.js';
import { CityTable } from '../../../src/routing/places/city-table.js';
import { metresBetween } from '../../../src/routing/places/clusters.js';
import type { Municipality } from '../../../src/routing/places/municipalities.js';
import { placeAndBasis, placeOf } from '../../../src/routing/places/place-of.js';
import { municipalityOf } from './held-out.js';

/**
 * The part of a tested address that the table does not know: its number, its street, or the whole register of its city.
 */
export const lefts = ['number', 'street', 'city'] as const;

export interface JudgedPlace {
  point: AddressedPoint;
  left: (typeof lefts)[number];
  municipality: Municipality;
  place: Place | undefined;
  /** The kind of the place, which sets its accuracy. */
  known: Known | undefined;
  /** Metres between the place and the point. For a refused address, metres between the seat and the point. */
  off: number;
  /** The place of the municipality alone, from the same table. */
  town: Place;
}

const shareOf = (key: string): number => createHash('sha256').update(key).digest().readUInt32BE() / 2 ** 32;

/** Leaves out half of the streets, and every third number of the other half. */
function leftOut({ ibge, street, number, latitude }: AddressedPoint): 'street' | 'number' | undefined {
  if (shareOf(`${ibge} ${street}`) < 0.5) return 'street';
  return shareOf(`${ibge} ${street} ${number} ${latitude}`) < 1 / 3 ? 'number' : undefined;
}

/** Places every left-out point of the municipalities by `street, number, city - UF`. */
export function placeByRegisters(asked?: readonly string[]): JudgedPlace[] {
  const registers = registerPoints().filter(({ ibge }) => asked === undefined || asked.includes(ibge));
  const codes = [...new Set(registers.map(({ ibge }) => ibge))];
  const names = new Set(codes.map((code) => fullName(municipalityOf(code))));
  const rest = {
    points: addressedPoints().filter(({ ibge }) => codes.includes(ibge)),
    neighbourhoods: neighbourhoodRows().filter(({ ibge }) => codes.includes(ibge)),
    districts: districtRows().filter(({ ibge }) => codes.includes(ibge)),
    streets: streetRows().filter(({ city, uf }) => names.has(`${city} - ${uf}`)),
  };
  const known = registers.filter((point) => leftOut(point) === undefined);
  const partly = new CityTable(cityTable({ ...rest, registers: known }));
  const none = new CityTable(cityTable({ ...rest, registers: [] }));
  return registers.flatMap((point) => {
    const left = leftOut(point);
    return [...(left ? [judged(point, left, partly)] : []), judged(point, 'city', none)];
  });
}

function judged(point: AddressedPoint, left: JudgedPlace['left'], cities: CityTable): JudgedPlace {
  const municipality = municipalityOf(point.ibge);
  const reading = readAddress(`${point.street}, ${point.number}, ${municipality.name} - ${municipality.state}`);
  const { place, known } = reading.ok ? placeAndBasis(reading, cities) : {};
  const town = placeOf({ ok: true, municipality }, cities);
  return { point, left, municipality, place, known, off: metresBetween(point, place ?? municipality.seat), town };
}
