import { onlyOne } from '../../base/values.js';
import { oneLetterOff } from '../address/one-letter.js';
import { looseKey } from '../address/spelling.js';
import { nameKey } from '../address/words.js';
import municipalityTable from '../data/municipalities.json' with { type: 'json' };
import { hashOf, hashOfWords } from './name-hash.js';

export interface Point {
  latitude: number;
  longitude: number;
}

export interface Municipality {
  code: number;
  name: string;
  state: string;
  seat: Point;
}

const byCode = new Map<number, Municipality>();
const byName = new Map<string, Municipality[]>();
/** Former names and other spellings. Names of today come first. */
const byOtherName = new Map<string, Municipality[]>();

function add<T>(index: Map<string, T[]>, key: string, value: T): void {
  const listed = index.get(key);
  if (!listed) index.set(key, [value]);
  else if (!listed.includes(value)) listed.push(value);
}

/** Lines are `IBGE code;UF;name;latitude;longitude[;other name|…]`. */
for (const line of municipalityTable.municipalities) {
  const [code, state = '', name = '', latitude, longitude, others] = line.split(';');
  const seat = { latitude: Number(latitude), longitude: Number(longitude) };
  const municipality: Municipality = { code: Number(code), name, state, seat };
  byCode.set(municipality.code, municipality);
  add(byName, nameKey(name), municipality);
  for (const other of others?.split('|') ?? []) add(byOtherName, nameKey(other), municipality);
}

const namesByState = new Map<string, ReturnType<typeof readNames>>();

/** All names of a state's municipalities. They are read when the state is first needed. */
function namesOf(state: string) {
  const names = namesByState.get(state) ?? readNames(state);
  namesByState.set(state, names);
  return names;
}

function readNames(state: string) {
  const byKey = new Map<string, Municipality[]>();
  const byLooseKey = new Map<string, Municipality[]>();
  for (const [key, municipalities] of [...byName, ...byOtherName])
    for (const municipality of municipalities)
      if (municipality.state === state) {
        add(byKey, key, municipality);
        add(byLooseKey, looseKey(key.split(' ')), municipality);
      }
  return { byKey, byLooseKey, hashes: new Set([...byKey.keys()].map((key) => hashOf(key))) };
}

const NAME_HASHES = new Set([...byName.keys(), ...byOtherName.keys()].map((key) => hashOf(key)));
/**
 * The key of a name, or '' for words that name no municipality. Most words do not, and a hash tells so faster than a
 * text.
 */
const keyOf = (words: readonly string[]): string => (NAME_HASHES.has(hashOfWords(words)) ? words.join(' ') : '');

/** The municipalities of this name in all states. Former names count if no municipality has the name today. */
export function municipalitiesNamed(words: readonly string[]): readonly Municipality[] {
  const key = keyOf(words);
  return byName.get(key) ?? byOtherName.get(key) ?? [];
}

export const municipalityWritten = (words: readonly string[], state: string): Municipality | undefined =>
  municipalityNamed(keyOf(words), state);

export function municipalityNamed(key: string, state: string): Municipality | undefined {
  const isInState = (municipality: Municipality): boolean => municipality.state === state;
  return byName.get(key)?.find(isInState) ?? byOtherName.get(key)?.find(isInState);
}

export const municipalitySpelledLike = (words: readonly string[], state: string): Municipality | undefined =>
  onlyOne(namesOf(state).byLooseKey.get(looseKey(words)) ?? []);

/** The municipality of the state whose name is one letter off the key. Undefined unless there is exactly one. */
export function municipalityOneLetterOff(key: string, state: string): Municipality | undefined {
  const { byKey, hashes } = namesOf(state);
  const spelled = oneLetterOff(key, (hash) => hashes.has(hash));
  return onlyOne([...new Set(spelled.flatMap((name) => byKey.get(name) ?? []))]);
}

export const municipalityOfCode = (code: number): Municipality | undefined => byCode.get(code);

export const allMunicipalities = (): Municipality[] => [...byCode.values()];
