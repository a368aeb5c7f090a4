import {
  type District,
  type Municipality,
  municipalitiesNamed,
  municipalityNamed,
  municipalitySpelledLike,
} from '../places/municipalities.js';
import { isNumberWord, leadsLongerName, type Segment } from './segments.js';
import { expand } from './spelling.js';
import { capitalNamedAfter, stateByCode, stateByName } from './states.js';

/** The longest name of a municipality has seven words. */
const LONGEST_NAME = 7;

const DISTRICT_LABELS = new Set(['bairro', 'distrito', 'bro']);

/** A state as it ends a segment; `words` is how many words of the segment it takes. */
export interface StateMention {
  state: string;
  words: number;
  /** Written as a UF, not as a name that a city could share. */
  isCode: boolean;
}

/** The state that the segment's last words name. A name is preferred to the two letters that may end it. */
export function stateAtEnd(segment: Segment): StateMention | undefined {
  for (let words = Math.min(4, segment.length); words > 0; words--) {
    const key = segment.slice(-words).join(' ');
    const state = stateByName(key);
    if (state) return { state, words, isCode: false };
  }
  const state = stateByCode(segment.at(-1) ?? '');
  return state === undefined ? undefined : { state, words: 1, isCode: true };
}

/** The key with abbreviations written out: `s jose` → `sao jose`. */
export function expandedKey(words: Segment): string {
  return words.map(expand).join(' ');
}

/** A whole name: as written, with abbreviations written out, or in another spelling. */
export function wholeName(words: Segment, state: string): Municipality | undefined {
  if (words.length === 0 || words.length > LONGEST_NAME + 2) return undefined;
  return (
    municipalityNamed(words.join(' '), state) ??
    municipalityNamed(expandedKey(words), state) ??
    municipalitySpelledLike(words, state)
  );
}

interface NameAtEnd {
  municipality: Municipality;
  /** The words of the segment before the name. */
  before: Segment;
}

/**
 * The longest name of a municipality of the state that ends the words, unless it is a part of a longer name:
 * a street's, a neighbourhood's, that of a municipality elsewhere.
 */
export function nameAtEnd(words: Segment, state: string): NameAtEnd | undefined {
  const whole = wholeName(words, state);
  if (whole) return { municipality: whole, before: [] };
  if (municipalitiesNamed(words.join(' ')).length > 0) return undefined;
  for (let from = Math.max(1, words.length - LONGEST_NAME); from < words.length; from++) {
    if (leadsLongerName(words[from - 1] ?? '')) continue;
    const name = words.slice(from);
    const municipality = municipalityNamed(name.join(' '), state) ?? municipalityNamed(expandedKey(name), state);
    if (municipality) return { municipality, before: words.slice(0, from) };
  }
  return undefined;
}

/** The capital, where the state is written by the name that both share: `Rua Augusta, São Paulo`. */
export function capitalMeantBy({ state, isCode }: StateMention): Municipality | undefined {
  const name = isCode ? undefined : capitalNamedAfter(state);
  return name === undefined ? undefined : municipalityNamed(name, state);
}

/** What can be a district's name in a segment: what follows its last number and the word "bairro". */
function nameIn(segment: Segment): Segment {
  let from = 0;
  segment.forEach((word, index) => {
    if (isNumberWord(word) || DISTRICT_LABELS.has(word)) from = index + 1;
  });
  return segment.slice(from);
}

/** The district of the municipality that the whole segment names, a house number before it left aside. */
export function districtIn(segment: Segment, municipality: Municipality): District | undefined {
  const { districts } = municipality;
  if (districts.size === 0) return undefined;
  const name = nameIn(segment);
  return districts.get(name.join(' ')) ?? districts.get(expandedKey(name));
}

/** The district named by the segment nearest to the city's, which is where addresses put it. */
export function nearestDistrict(segments: readonly Segment[], city: number, owner: Municipality): District | undefined {
  if (owner.districts.size === 0) return undefined;
  for (let away = 0; away < segments.length; away++) {
    const near = districtIn(segments[city - away] ?? [], owner) ?? districtIn(segments[city + away] ?? [], owner);
    if (near) return near;
  }
  return undefined;
}
