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

/** A state as it ends a segment; `words` is how many words of the segment it takes. */
export interface StateMention {
  state: string;
  words: number;
  /** Written as a UF, not as a name that a city could share. */
  isCode: boolean;
}

/** The state that the segment's last words name. A name is preferred to the two letters that may end it. */
function stateAtEnd(segment: Segment): StateMention | undefined {
  for (let words = Math.min(4, segment.length); words > 0; words--) {
    const state = stateByName(segment.slice(-words).join(' '));
    if (state) return { state, words, isCode: false };
  }
  const state = stateByCode(segment.at(-1) ?? '');
  return state === undefined ? undefined : { state, words: 1, isCode: true };
}

/** The capital, where the state is written by the name that both share: `Rua Augusta, São Paulo`. */
export function capitalMeantBy({ state, isCode }: StateMention): Municipality | undefined {
  const name = isCode ? undefined : capitalNamedAfter(state);
  return name === undefined ? undefined : municipalityNamed(name, state);
}

export function wholeName(words: Segment, state: string): Municipality | undefined {
  if (words.length === 0 || words.length > MAX_SPELLING_LENGTH) return undefined;
  return written(words, state) ?? municipalitySpelledLike(words, state);
}

/** By its name as it is, or with abbreviations written out. */
function written(words: Segment, state: string): Municipality | undefined {
  const full = expanded(words);
  return municipalityWritten(words, state) ?? (full && municipalityWritten(full, state));
}

/** The only city of the state that is one letter off, unless the words name something else. */
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

/** A neighbourhood of the municipality, or one by its label; every municipality has a Centro. */
export function isNeighbourhoodOf(municipality: Municipality, words: Segment): boolean {
  if (words.length === 0 || words.length > MAX_SPELLING_LENGTH) return false;
  if (isLabelled(words)) return true;
  return (words.length === 1 && words[0] === 'centro') || neighbourhoodOf(municipality, words) !== undefined;
}

const isNeighbourhoodAnywhere = (words: Segment): boolean =>
  words.length <= MAX_SPELLING_LENGTH && municipalitiesWithNeighbourhood(words).length > 0;

/** The state that ends a segment, unless it is a part of a name: `Crixás do Tocantins`, `Jardim São Paulo`. */
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

/** The longest name of a municipality of the state at the end of the words, unless it is a part of a longer name. */
export function nameAtEnd(words: Segment, state: string): NameAtEnd | undefined {
  const whole = wholeName(words, state);
  if (whole) return { municipality: whole, before: [] };
  if (citiesNamed(words).length > 0) return undefined;
  const misspelled = misspelledCity(words, state);
  if (misspelled) return { municipality: misspelled, before: [] };
  return nameAfterNeighbourhood(words, state) ?? nameAfterAnything(words, state);
}

/** The city that has the name in the state, or is one letter off; without a state the only one of its name. */
export const cityNamed = (name: Segment, state: string | undefined): Municipality | undefined =>
  state === undefined ? onlyOne(citiesNamed(name)) : (wholeName(name, state) ?? misspelledCity(name, state));

/** `Vila Nova São José`: a city after a neighbourhood of it. `Jardim` alone would be a part of its name. */
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
