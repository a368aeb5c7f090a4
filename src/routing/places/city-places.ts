import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { root } from '../../base/root.js';
import { onlyOne } from '../../base/values.js';
import { isQuadraCode } from '../address/brasilia.js';
import { oneLetterOff, withCommonWord } from '../address/one-letter.js';
import { isConnector, looseKey } from '../address/spelling.js';
import { nameKey } from '../address/words.js';
import type { Neighbourhood, Street } from './city-rows.js';
import { CityTable } from './city-table.js';
import type { Municipality } from './municipalities.js';
import { hashOf } from './name-hash.js';
import { isOfWholeTown } from './postal-codes.js';
import { countOfKind, fullKind, type StreetKey, streetKey } from './street-key.js';

const file = new URL('src/routing/data/odbl/cities.bin.gz', root);

let embedded: CityTable | undefined;

/** The embedded table. It is read when it is first needed. */
export function embeddedCities(): CityTable {
  embedded ??= new CityTable(unzipped(readFileSync(file)));
  return embedded;
}

/** Unzips into one piece; the last four bytes tell its size. Many small pieces would take 37 MB more. */
const unzipped = (bytes: Buffer): Buffer => gunzipSync(bytes, { chunkSize: bytes.readUInt32LE(bytes.length - 4) });

/** Reads the names at once. Otherwise the first address, and all requests meanwhile, would wait some 200 ms. */
export function readPlaces(): void {
  embeddedCities().neighbourhoodOwnersOf('centro');
}

/** Finds the neighbourhood of the municipality. Its name may be abbreviated. */
export const neighbourhoodOf = (municipality: Municipality, words: readonly string[]): Neighbourhood | undefined =>
  embeddedCities().neighbourhoodOf(municipality, looseKey(words));

/** Tells whether the tables know the place of the neighbourhood in the municipality. */
export function isPlacedNeighbourhood(municipality: Municipality, words: readonly string[]): boolean {
  const { estimate } = neighbourhoodOf(municipality, words) ?? {};
  return estimate !== undefined && !estimate.isTown;
}

export const municipalitiesWithNeighbourhood = (words: readonly string[]): readonly Municipality[] =>
  embeddedCities().neighbourhoodOwnersOf(looseKey(words));

/**
 * Finds a street of the municipality (`r dr joao`). If its kind is missing or another, finds the streets of that name.
 */
export const streetOf = (municipality: Municipality, words: readonly string[]): Street | undefined =>
  embeddedCities().streetOf(municipality, streetKey(words));

export const municipalitiesWithStreet = (words: readonly string[]): readonly Municipality[] =>
  embeddedCities().streetOwnersOf(streetKey(words));

/** Tells whether the municipality has a street of this name, of any kind. */
export const hasStreet = (municipality: Municipality, words: readonly string[]): boolean =>
  embeddedCities().hasStreetNamed(municipality, streetKey(words).name);

export const hasStreetOfKind = (municipality: Municipality, words: readonly string[]): boolean =>
  hasStreet(municipality, words) && embeddedCities().hasKind(municipality, streetKey(words));

/** Tells whether the tables list the CEP as one of a street or of a whole town, and not only within a range. */
export const isListedPostalCode = (digits: string): boolean =>
  isOfWholeTown(digits) || embeddedCities().isPostalCodeOfStreet(Number(digits));

/** The written kind of the street, or the only kind that is known for its name. */
export const kindOfStreet = (municipality: Municipality, key: StreetKey): string =>
  embeddedCities().kindOf(municipality, key);

/** The words of the neighbourhood that is one letter off. Undefined unless the municipality has exactly one. */
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

/**
 * Corrects the name of a street that the municipality lacks: to the only one that is one letter off and may lie in the
 * neighbourhood. Codes stay unchanged, because each is one letter off many others.
 */
export function streetSpelledRight(
  municipality: Municipality,
  words: readonly string[],
  neighbourhood: readonly string[] | undefined,
): SpelledStreet {
  const written = spelledStreet(words);
  const { kind, name } = written.key;
  const cities = embeddedCities();
  const isStreet = (hash: number): boolean => cities.hasStreet(municipality, hash);
  if (isStreet(hashOf(name))) return written;
  const spelled = oneLetterOff(name, isStreet)
    .filter((other) => keepsCodes(name, other) && cities.hasStreetNamed(municipality, other))
    .map((other) => ({ words: respelled(words, other), key: { kind, name: other } }));
  const common = withCommonWord(words)
    .map(spelledStreet)
    .filter(({ key }) => isStreet(hashOf(key.name)));
  const inside = neighbourhood && looseKey(neighbourhood);
  const known = [...spelled, ...common]
    .filter(({ key }) => inside === undefined || cities.mayBeIn(municipality, key, inside))
    .map((other) => [other.key.name, other] as const);
  return onlyOne([...new Map(known).values()]) ?? written;
}

/**
 * Tells whether a correction keeps all codes: in `shis qi5 conjunto 3` short words and those with digits. It must not
 * turn a word into a sector's code.
 */
function keepsCodes(name: string, other: string): boolean {
  const [words, others] = [name.split(' '), other.split(' ')];
  const codesOf = (list: readonly string[]): string =>
    list.filter((word) => word.length < 5 || /\d/.test(word)).join(' ');
  if (others.some((word) => isQuadraCode(word) && !words.includes(word))) return false;
  return !/\d/.test(name) || codesOf(words) === codesOf(others);
}

/** Corrects the words to the key: a word with another key gets the usual spelling of the tables. */
function respelled(words: readonly string[], key: string): string[] {
  const cities = embeddedCities();
  const keys = key.split(' ');
  const count = countOfKind(words);
  const kind = count === 0 ? [] : [fullKind(words[count - 1] ?? '')];
  const name = words.slice(count);
  if (name.filter((word) => !isConnector(word)).length !== keys.length)
    return [...kind, ...keys.map((each) => cities.usualSpelling(each))];
  let next = 0;
  const spelled = name.map((word) => {
    if (isConnector(word)) return word;
    const each = keys[next++] ?? '';
    return looseKey([word]) === each ? word : cities.usualSpelling(each);
  });
  return [...kind, ...spelled];
}

const spelledStreet = (words: readonly string[]): SpelledStreet => ({ words, key: streetKey(words) });
