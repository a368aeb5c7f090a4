import { onlyOne } from '../../base/values.js';
import { municipalitiesWithNeighbourhood, neighbourhoodOf } from '../places/city-places.js';
import {
  type Municipality,
  municipalitiesNamed,
  municipalityNamed,
  municipalityOneLetterOff,
  municipalitySpelledLike,
  municipalityWritten,
} from '../places/municipalities.js';
import { isLabelled, leadsLongerName, type Segment } from './segments.js';
import { expand, expanded, isConnector } from './spelling.js';
import { capitalNamedAfter, stateByCode, stateByName } from './states.js';

/** Words of the longest name of a municipality, and of the longest spelling of one. */
const MAX_NAME_LENGTH = 7;
const MAX_SPELLING_LENGTH = 9;

/** A state at the end of a segment. `words` is the number of words that it takes. */
export interface StateMention {
  state: string;
  words: number;
  /** True for a UF. False for a state's name, which a city may share. */
  isCode: boolean;
}

/** The state in the last words of a segment. A full name wins over two last letters that look like a UF. */
function stateAtEnd(segment: Segment): StateMention | undefined {
  for (let words = Math.min(4, segment.length); words > 0; words--) {
    const state = stateByName(segment.slice(-words).join(' '));
    if (state) return { state, words, isCode: false };
  }
  const state = stateByCode(segment.at(-1) ?? '');
  return state === undefined ? undefined : { state, words: 1, isCode: true };
}

/** The capital, if the address has the name that state and capital share: `Rua Augusta, São Paulo`. */
export function capitalMeantBy({ state, isCode }: StateMention): Municipality | undefined {
  const name = isCode ? undefined : capitalNamedAfter(state);
  return name === undefined ? undefined : municipalityNamed(name, state);
}

export function wholeName(words: Segment, state: string): Municipality | undefined {
  if (words.length === 0 || words.length > MAX_SPELLING_LENGTH) return undefined;
  return written(words, state) ?? municipalitySpelledLike(words, state);
}

/** The municipality of this name: as written, or with abbreviations written out. */
function written(words: Segment, state: string): Municipality | undefined {
  const full = expanded(words);
  return municipalityWritten(words, state) ?? (full && municipalityWritten(full, state));
}

/** The only city of the state whose name is one letter off. Undefined if the words name something else. */
export function misspelledCity(words: Segment, state: string): Municipality | undefined {
  if (words.length > MAX_SPELLING_LENGTH || citiesNamed(words).length > 0 || ownersOf(words, state).length > 0) return;
  return municipalityOneLetterOff(words.map(expand).join(' '), state);
}

/** The municipalities of the state that have a neighbourhood of this name. */
export function ownersOf(words: Segment, state: string): readonly Municipality[] {
  if (words.length === 0 || words.length > MAX_SPELLING_LENGTH) return [];
  const name = isLabelled(words) ? words.slice(1) : words;
  return municipalitiesWithNeighbourhood(name).filter((owner) => owner.state === state);
}

/** The municipalities with this name, in any state: as written, or with abbreviations written out. */
export function citiesNamed(words: Segment): readonly Municipality[] {
  if (words.length === 0 || words.length > MAX_SPELLING_LENGTH) return [];
  const exact = municipalitiesNamed(words);
  const full = exact.length === 0 ? expanded(words) : undefined;
  return full ? municipalitiesNamed(full) : exact;
}

/** Tells whether the words are, or are labelled as, a neighbourhood of the municipality. Each one has a Centro. */
export function isNeighbourhoodOf(municipality: Municipality, words: Segment): boolean {
  if (words.length === 0 || words.length > MAX_SPELLING_LENGTH) return false;
  if (isLabelled(words)) return true;
  return (words.length === 1 && words[0] === 'centro') || neighbourhoodOf(municipality, words) !== undefined;
}

const isNeighbourhoodAnywhere = (words: Segment): boolean =>
  words.length <= MAX_SPELLING_LENGTH && municipalitiesWithNeighbourhood(words).length > 0;

/** The state at the end of a segment, unless it is a part of a name: `Crixás do Tocantins`, `Jardim São Paulo`. */
export function mentionIn(segment: Segment): StateMention | undefined {
  const mention = stateAtEnd(segment);
  if (!mention || mention.words === segment.length) return mention;
  const inside = withoutState(segment, mention);
  const isPart = isConnector(inside.at(-1) ?? '') || citiesNamed(segment).length > 0;
  return isPart || (!mention.isCode && isLongerName(segment, inside, mention.state)) ? undefined : mention;
}

function isLongerName(segment: Segment, inside: Segment, state: string): boolean {
  if (wholeName(inside, state)) return false;
  return leadsLongerName(inside.at(-1) ?? '') || isNeighbourhoodAnywhere(segment);
}

export const withoutState = (segment: Segment, mention: StateMention): Segment => segment.slice(0, -mention.words);

export interface NameAtEnd {
  municipality: Municipality;
  before: Segment;
}

export function* endsOf(words: Segment): Generator<[before: Segment, name: Segment]> {
  for (let from = Math.max(1, words.length - MAX_NAME_LENGTH); from < words.length; from++)
    yield [words.slice(0, from), words.slice(from)];
}

/** The longest name of a municipality of the state at the end of the words. It must not be a part of a longer name. */
export function nameAtEnd(words: Segment, state: string): NameAtEnd | undefined {
  const whole = wholeName(words, state);
  if (whole) return { municipality: whole, before: [] };
  if (citiesNamed(words).length > 0) return undefined;
  const misspelled = misspelledCity(words, state);
  if (misspelled) return { municipality: misspelled, before: [] };
  return nameAfterNeighbourhood(words, state) ?? nameAfterAnything(words, state);
}

/**
 * The city of this name in the state, or one whose name is one letter off. Without a state, the only city of the name.
 */
export const cityNamed = (name: Segment, state: string | undefined): Municipality | undefined =>
  state === undefined ? onlyOne(citiesNamed(name)) : (wholeName(name, state) ?? misspelledCity(name, state));

/**
 * The city after one of its neighbourhoods: `Vila Nova São José`. A lone `Jardim` would be a part of the city's name.
 */
export function nameAfterNeighbourhood(words: Segment, state?: string): NameAtEnd | undefined {
  if (words.length < 2 || isNeighbourhoodAnywhere(words)) return undefined;
  for (const [before, name] of endsOf(words)) {
    if (before.length === 1 && leadsLongerName(before[0] ?? '')) continue;
    const municipality = cityNamed(name, state);
    if (municipality && isNeighbourhoodOf(municipality, before)) return { municipality, before };
  }
  return undefined;
}

function nameAfterAnything(words: Segment, state: string): NameAtEnd | undefined {
  if (isNeighbourhoodAnywhere(words)) return undefined;
  for (const [before, name] of endsOf(words)) {
    if (leadsLongerName(before.at(-1) ?? '')) continue;
    const municipality = written(name, state);
    if (municipality) return { municipality, before };
  }
  return undefined;
}
