import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { root } from '../../base/root.js';
import { onlyOne } from '../../base/values.js';
import { oneLetterOff, withCommonWord } from '../address/one-letter.js';
import { looseKey } from '../address/spelling.js';
import { nameKey } from '../address/words.js';
import { CityTable, type Neighbourhood, type Street } from './city-table.js';
import type { Municipality } from './municipalities.js';
import { hashOf } from './name-hash.js';
import { isOfWholeTown } from './postal-codes.js';
import { type StreetKey, streetKey } from './street-key.js';

const file = new URL('src/routing/data/odbl/cities.bin.gz', root);

let embedded: CityTable | undefined;

/** The table that comes with the program, read when it is first needed. */
export function embeddedCities(): CityTable {
  embedded ??= new CityTable(unzipped(readFileSync(file)));
  return embedded;
}

/** In one piece of its size, which its last four bytes say: pieces of pieces take 37 MB more. */
const unzipped = (bytes: Buffer): Buffer => gunzipSync(bytes, { chunkSize: bytes.readUInt32LE(bytes.length - 4) });

/** Reads the names now, so that the first address, and every other request, does not wait some 200 ms. */
export function readPlaces(): void {
  embeddedCities().neighbourhoodOwnersOf('centro');
}

/** The neighbourhood of the municipality, which may be abbreviated. */
export const neighbourhoodOf = (municipality: Municipality, words: readonly string[]): Neighbourhood | undefined =>
  embeddedCities().neighbourhoodOf(municipality, looseKey(words));

export const municipalitiesWithNeighbourhood = (words: readonly string[]): readonly Municipality[] =>
  embeddedCities().neighbourhoodOwnersOf(looseKey(words));

/** The street of the municipality (`r dr joao`); where its kind is left out or another, those of its name. */
export const streetOf = (municipality: Municipality, words: readonly string[]): Street | undefined =>
  embeddedCities().streetOf(municipality, streetKey(words));

export const municipalitiesWithStreet = (words: readonly string[]): readonly Municipality[] =>
  embeddedCities().streetOwnersOf(streetKey(words));

/** Some street of the municipality has the name, of whatever kind. */
export const hasStreet = (municipality: Municipality, words: readonly string[]): boolean =>
  embeddedCities().hasStreetNamed(municipality, streetKey(words).name);

export const hasStreetOfKind = (municipality: Municipality, words: readonly string[]): boolean =>
  hasStreet(municipality, words) && embeddedCities().hasKind(municipality, streetKey(words));

/** The tables list the CEP, as that of a street or of a whole town, and do not only have a range about it. */
export const isListedPostalCode = (digits: string): boolean =>
  isOfWholeTown(digits) || embeddedCities().isPostalCodeOfStreet(Number(digits));

/** The kind that is written, else the only one that is known of the name. */
export const kindOfStreet = (municipality: Municipality, key: StreetKey): string =>
  embeddedCities().kindOf(municipality, key);

/** The words of the only neighbourhood of the municipality that is one letter off. */
export function neighbourhoodOneLetterOff(municipality: Municipality, words: readonly string[]) {
  const cities = embeddedCities();
  const spelled = oneLetterOff(looseKey(words), (hash) => cities.hasNeighbourhood(municipality, hash));
  const keys = [...spelled, ...withCommonWord(words).map(looseKey)];
  const name = onlyOne([...new Set(keys)].flatMap((key) => cities.neighbourhoodOf(municipality, key)?.name ?? []));
  return name === undefined ? undefined : nameKey(name).split(' ');
}

interface SpelledStreet {
  words: readonly string[];
  key: StreetKey;
}

/** The words of a street; where the municipality has none of the name, of the only one that is one letter off. */
export function streetSpelledRight(municipality: Municipality, words: readonly string[]): SpelledStreet {
  const written = spelledStreet(words);
  const { kind, name } = written.key;
  const cities = embeddedCities();
  const isStreet = (hash: number): boolean => cities.hasStreet(municipality, hash);
  if (isStreet(hashOf(name))) return written;
  const spelled = oneLetterOff(name, isStreet)
    .filter((other) => cities.hasStreetNamed(municipality, other))
    .map((other) => spelledStreet(`${kind} ${other}`.trim().split(' ')));
  const common = withCommonWord(words)
    .map(spelledStreet)
    .filter(({ key }) => isStreet(hashOf(key.name)));
  const known = [...spelled, ...common].map((other) => [other.key.name, other] as const);
  return onlyOne([...new Map(known).values()]) ?? written;
}

const spelledStreet = (words: readonly string[]): SpelledStreet => ({ words, key: streetKey(words) });
