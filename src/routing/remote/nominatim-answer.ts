import type { Place, Precision } from '../../base/place.js';
import { isFields } from '../../base/values.js';
import type { Read } from '../address/reading.js';
import { looseKey } from '../address/spelling.js';
import { wordsOf } from '../address/words.js';
import { greatCircleMetres } from '../embedded-distances.js';
import { usualAccuracy } from '../places/accuracy.js';
import { type Municipality, municipalitySpelledLike } from '../places/municipalities.js';
import { streetRead } from '../places/place-of.js';
import { type StreetKey, streetKey } from '../places/street-key.js';
import { toList, toNumber, toRecord } from './json-client.js';

type Result = ReturnType<typeof toResult>;

/** Most metres between equally likely results that name one place. */
const ONE_PLACE_METRES = 2_000;

export const resultsIn = (answer: unknown, municipality: Municipality): Result[] =>
  toList(answer, 'answer').flatMap((value) => {
    const fields = toRecord(value, 'result');
    const address = isFields(fields['address']) ? fields['address'] : {};
    return isIn(municipality, address) ? [toResult(fields, address)] : [];
  });

function toResult(fields: Record<string, unknown>, address: Record<string, unknown>) {
  const postalCode = textOf(address, ['postcode'])?.replaceAll(/\D/g, '');
  return {
    latitude: toNumber(fields['lat'], 'lat'),
    longitude: toNumber(fields['lon'], 'lon'),
    // Nominatim's rank: 30 is a house, 26 and 27 streets, 17 to 25 parts of a city and CEPs, 12 to 16 cities.
    rank: toNumber(fields['place_rank'], 'place_rank'),
    type: textOf(fields, ['addresstype']) ?? '',
    districts: ['suburb', 'city_district', 'neighbourhood', 'quarter'].flatMap((key) => textOf(address, [key]) ?? []),
    name: textOf(fields, ['name']),
    houseNumber: textOf(address, ['house_number']),
    road: textOf(address, ['road', 'pedestrian', 'footway', 'square']),
    postalCode: postalCode?.length === 8 ? postalCode : undefined,
  };
}

const textOf = (record: Record<string, unknown>, keys: readonly string[]): string | undefined =>
  keys.map((key) => record[key]).find((value): value is string => typeof value === 'string' && value !== '');

// A municipality is in another field depending on its size, and `municipality` often is a region. The Federal District
// is one municipality, but its parts are named like cities.
function isIn(municipality: Municipality, address: Record<string, unknown>): boolean {
  const state = /^BR-([A-Z]{2})$/.exec(textOf(address, ['ISO3166-2-lvl4']) ?? '')?.[1];
  if (state !== municipality.state) return false;
  if (state === 'DF') return true;
  const names = ['city', 'town', 'village', 'municipality', 'county'].flatMap((key) => textOf(address, [key]) ?? []);
  return names.map((name) => municipalitySpelledLike(wordsOf(name), state)).find(Boolean) === municipality;
}

/**
 * The house or street of the reading among the results. A longer name or another kind needs the same CEP or
 * neighbourhood.
 */
export function streetAmong(results: readonly Result[], reading: Read): Place | undefined {
  if (reading.street === undefined) return undefined;
  const { key, number } = reading.street;
  const scored = results.flatMap((result) => {
    const likeness = likenessOf(result.road ?? (result.rank < 28 ? result.name : undefined), key);
    const nearness = nearnessOf(result, reading);
    const isHouse = result.rank >= 28 && number !== undefined && isSameNumber(result.houseNumber, number);
    if (nearness === undefined) return [];
    const isStreet = likeness === 'same' || (likeness === 'like' && nearness > 0);
    return isStreet ? [{ result, score: nearness + (isHouse ? HOUSE : 0) }] : [];
  });
  const max = Math.max(...scored.map(({ score }) => score));
  const best = onlyPlace(scored.filter(({ score }) => score === max).map(({ result }) => result));
  return best && toPlace(best, reading, max >= HOUSE ? 'rooftop' : 'street');
}

/** Score for the right house number. It is more than any nearness. */
const HOUSE = 8;

/** Scores how well CEP and neighbourhood agree. Undefined for a street of the name in another quarter of the city. */
function nearnessOf({ postalCode, districts }: Result, reading: Read): number | undefined {
  const key = reading.neighbourhood && looseKey(reading.neighbourhood);
  const isNeighbourhood = districts.some((district) => looseKey(wordsOf(district)) === key);
  const sameDigits = sameDigitsOf(postalCode, reading.postalCode);
  if (sameDigits < 3) return undefined;
  return (isNeighbourhood ? 2 : 0) + (sameDigits === 8 ? 4 : sameDigits >= 5 ? 1 : 0);
}

/** Counts the digits that two CEPs share from the left. If one is missing, 3: enough for the same quarter. */
function sameDigitsOf(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return 3;
  const different = [...a].findIndex((digit, at) => digit !== b[at]);
  return different < 0 ? a.length : different;
}

function likenessOf(road: string | undefined, wanted: StreetKey): 'same' | 'like' | undefined {
  if (road === undefined) return undefined;
  const found = streetKey(wordsOf(road));
  const isKind = found.kind === wanted.kind || found.kind === '' || wanted.kind === '';
  if (found.name === wanted.name) return isKind ? 'same' : 'like';
  const foundWords = new Set(found.name.split(' '));
  return wanted.name.split(' ').every((word) => foundWords.has(word)) ? 'like' : undefined;
}

const isSameNumber = (found: string | undefined, number: string): boolean => wordsOf(found ?? '').join('') === number;

export function postalCodeAmong(results: readonly Result[], reading: Read): Place | undefined {
  const found = results.find(({ type, postalCode }) => type === 'postcode' && postalCode === reading.postalCode);
  return found && toPlace(found, reading, 'postal_code');
}

export function neighbourhoodAmong(results: readonly Result[], reading: Read): Place | undefined {
  const key = looseKey(reading.neighbourhood ?? []);
  const found = results.filter(({ rank, name }) => rank >= 17 && rank <= 25 && looseKey(wordsOf(name ?? '')) === key);
  const best = onlyPlace(found);
  return best && toPlace(best, reading, 'district');
}

/** The first result, unless another one lies elsewhere. */
function onlyPlace(results: readonly Result[]): Result | undefined {
  const [first] = results;
  return first && results.every((other) => greatCircleMetres(first, other) <= ONE_PLACE_METRES) ? first : undefined;
}

function toPlace({ latitude, longitude, districts, postalCode }: Result, reading: Read, precision: Precision): Place {
  const [district] = districts;
  const code = reading.postalCode ?? postalCode;
  return {
    latitude,
    longitude,
    precision,
    accuracyMetres: usualAccuracy[precision],
    city: reading.municipality.name,
    state: reading.municipality.state,
    ...(district !== undefined && { district }),
    ...(code !== undefined && { postalCode: code }),
    ...streetRead(reading),
  };
}
