/** Errors of the places of `street, number, city - UF`, judged by cities' registers of which a part was left out. */
import { createHash } from 'node:crypto';
import { cityTable } from '../../../scripts/places/cities.js';
import {
  addressedPoints,
  neighbourhoodRows,
  type RegisterPoint,
  registerPoints,
  streetRows,
} from '../../../scripts/places/sources.js';
import type { Place } from '../../../src/base/place.js';
import { readAddress } from '../../../src/routing/address/embedded-geocoder.js';
import { nameKey } from '../../../src/routing/address/words.js';
import { CityTable } from '../../../src/routing/places/city-table.js';
import { metresBetween } from '../../../src/routing/places/clusters.js';
import { type Municipality, municipalityOfCode } from '../../../src/routing/places/municipalities.js';
import { placeOf } from '../../../src/routing/places/place-of.js';

/** The part that the table does not know of a judged address: its number, its street, or its whole city's register. */
export const lefts = ['number', 'street', 'city'] as const;

export interface JudgedPlace {
  left: (typeof lefts)[number];
  municipality: Municipality;
  place: Place | undefined;
  /** Metres between the place and the point; of a refused address those to the seat. */
  off: number;
}

const shareOf = (key: string): number => createHash('sha256').update(key).digest().readUInt32BE() / 2 ** 32;

/** Half of the streets are left out, and every third number of the others. */
function leftOut({ ibge, street, number, latitude }: RegisterPoint): 'street' | 'number' | undefined {
  if (shareOf(`${ibge} ${street}`) < 0.5) return 'street';
  return shareOf(`${ibge} ${street} ${number} ${latitude}`) < 1 / 3 ? 'number' : undefined;
}

export function placeByRegisters(): JudgedPlace[] {
  const registers = registerPoints();
  const codes = new Set(registers.map(({ ibge }) => ibge));
  const names = new Set([...codes].map((code) => nameKey(municipality(code).name)));
  const rest = {
    points: addressedPoints().filter(({ ibge }) => codes.has(ibge)),
    neighbourhoods: neighbourhoodRows().filter(({ ibge }) => codes.has(ibge)),
    streets: streetRows().filter(({ city }) => names.has(nameKey(city))),
  };
  const partly = new CityTable(
    cityTable({ ...rest, registers: registers.filter((point) => leftOut(point) === undefined) }),
  );
  const none = new CityTable(cityTable({ ...rest, registers: [] }));
  return registers.flatMap((point) => {
    const left = leftOut(point);
    return [...(left ? [judged(point, left, partly)] : []), judged(point, 'city', none)];
  });
}

function municipality(ibge: string): Municipality {
  const known = municipalityOfCode(Number(ibge));
  if (known === undefined) throw new Error(`no municipality has the code ${ibge}`);
  return known;
}

function judged(point: RegisterPoint, left: JudgedPlace['left'], cities: CityTable): JudgedPlace {
  const owner = municipality(point.ibge);
  const address = `${point.street}, ${point.number}, ${owner.name} - ${owner.state}`;
  const reading = readAddress(address);
  const place = reading.ok ? placeOf(reading, cities) : undefined;
  return { left, municipality: owner, place, off: metresBetween(point, place ?? owner.seat) };
}
