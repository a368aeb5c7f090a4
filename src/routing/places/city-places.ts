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

/** The tables know where in the municipality the neighbourhood is. */
export function isPlacedNeighbourhood(municipality: Municipality, words: readonly string[]): boolean {
  const { estimate } = neighbourhoodOf(municipality, words) ?? {};
  return estimate !== undefined && !estimate.isTown;
}

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

/**
 * The words of a street; where the municipality has none of the name, of the only one that is one letter off, and that
 * is known in the neighbourhood that is named. Codes stay as they are written: each is one letter off many others.
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

/** In `shis qi5 conjunto 3` words with digits and short words are codes. No word is a sector's code misspelled. */
function keepsCodes(name: string, other: string): boolean {
  const [words, others] = [name.split(' '), other.split(' ')];
  const codesOf = (list: readonly string[]): string =>
    list.filter((word) => word.length < 5 || /\d/.test(word)).join(' ');
  if (others.some((word) => isQuadraCode(word) && !words.includes(word))) return false;
  return !/\d/.test(name) || codesOf(words) === codesOf(others);
}

/** The written words, or, for those with another key, the words as the tables spell them. */
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
