import { type Municipality, municipalitiesNamed, municipalityNamed, municipalitySpelledLike } from './gazetteer.js';
import { leadsLongerName, type Segment } from './segments.js';
import { expand } from './spelling.js';
import { capitalNamedAfter, stateByCode, stateByName } from './states.js';

/** The longest name of a municipality has seven words. */
const LONGEST_NAME = 7;

/** A state as it ends a segment; `words` is how many words of the segment it takes. */
export interface StateMention {
  state: string;
  words: number;
  /** Written as a UF, not as a name that a city could share. */
  coded: boolean;
}

/** The state that the segment's last words name. A name is preferred to the two letters that may end it. */
export function stateAtEnd(segment: Segment): StateMention | undefined {
  for (let words = Math.min(4, segment.length); words > 0; words--) {
    const key = segment.slice(-words).join(' ');
    const named = stateByName(key);
    if (named) return { state: named, words, coded: false };
  }
  const coded = stateByCode(segment.at(-1) ?? '');
  return coded === undefined ? undefined : { state: coded, words: 1, coded: true };
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

export interface NameAtEnd {
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
export function capitalMeantBy(mention: StateMention): Municipality | undefined {
  if (mention.coded || !capitalNamedAfter(mention.state)) return undefined;
  return municipalityNamed(mention.state === 'SP' ? 'sao paulo' : 'rio de janeiro', mention.state);
}
