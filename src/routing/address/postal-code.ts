import { announcedGroup, type DigitGroup, lastGroup } from './last-group.js';
import { isHouseNumber, isNumberSign, isStreetWord } from './segments.js';
import type { Word } from './words.js';

const isDigits = (text: string, length: number): boolean => text.length === length && /^\d+$/.test(text);

/** The CEP at `at`: `01310200`, `01310-200`, `01.310-200` or, unless it is a house number and a flat, `01310 200`. */
function postalCodeAt(words: readonly Word[], at: number, isAnnounced: boolean): [number, string] | undefined {
  const first = words[at];
  const second = words[at + 1];
  if (first === undefined) return undefined;
  if (isDigits(first.text, 8)) return [1, first.text];
  if (second === undefined || !isDigits(second.text, 3)) return undefined;
  if (isDigits(first.text, 5)) {
    const isOne = second.hyphen || isAnnounced || (first.segment === second.segment && !isHouseNumberPlace(words, at));
    return isOne ? [2, `${first.text}${second.text}`] : undefined;
  }
  const third = words[at + 2];
  if (isDigits(first.text, 2) && first.dot && third?.hyphen && isDigits(third.text, 3))
    return [3, `${first.text}${second.text}${third.text}`];
  return undefined;
}

interface Candidate {
  digits: string;
  /** True if only a CEP is written so, after the word CEP, and at the end of the address, where a CEP belongs. */
  isProper: boolean;
  /** True for eight bare digits where a house number stands. */
  isHouseNumber: boolean;
}

/** Tells whether a house number belongs here: after "nº", or first after a street without a number. */
function isHouseNumberPlace(words: readonly Word[], at: number): boolean {
  const before = words[at - 1];
  if (before === undefined) return false;
  if (isNumberSign(before.text)) return true;
  if (before.segment === words[at]?.segment) return false;
  let start = at - 1;
  while (words[start - 1]?.segment === before.segment) start--;
  return isStreetWord(words[start]?.text ?? '') && !isHouseNumber(before.text);
}

function postalCodesIn(candidates: readonly Candidate[]): string[] {
  const hasOther = candidates.some(({ isProper, isHouseNumber }) => isProper && !isHouseNumber);
  const codes = candidates.filter(({ isHouseNumber }) => !(isHouseNumber && hasOther));
  return [...new Set(codes.map(({ digits }) => digits))];
}

/** The CEPs of an address, and its other words. */
interface PostalCodesTaken {
  codes: string[];
  /** The other words. A segment ends where a CEP stood. */
  rest: Word[];
  /** True if digits stand where a CEP belongs, but are not one. */
  isMalformed: boolean;
}

export function takePostalCodes(words: readonly Word[]): PostalCodesTaken {
  const candidates: Candidate[] = [];
  const rest: Word[] = [];
  let isMalformed = false;
  let cuts = 0;
  const last = lastGroup(words);
  for (let i = 0; i < words.length; ) {
    const word = words[i];
    if (word === undefined) break;
    const isAnnounced = words[i - 1]?.text === 'cep';
    const code = postalCodeAt(words, i, isAnnounced) ?? otherCodeAt(words, i, isAnnounced, last);
    if (code) {
      const [count, digits] = code;
      const isProper = count > 1 || isAnnounced || i + count === words.length;
      const isHouse = count === 1 && !isAnnounced && isHouseNumberPlace(words, i);
      if (digits === undefined) isMalformed = true;
      else candidates.push({ digits, isProper, isHouseNumber: isHouse });
      i += count;
      cuts++;
      continue;
    }
    if (word.text === 'cep') cuts++;
    else rest.push(cuts === 0 ? word : { ...word, segment: word.segment + cuts });
    i++;
  }
  return { codes: postalCodesIn(candidates), rest, isMalformed };
}

/** Reads digits in another spelling, after the word CEP or at the end. Its digits are undefined if they are no CEP. */
function otherCodeAt(
  words: readonly Word[],
  at: number,
  isAnnounced: boolean,
  last: DigitGroup | undefined,
): [count: number, digits: string | undefined] | undefined {
  if (!isAnnounced && (last?.from !== at || isHouseNumberPlace(words, at))) return undefined;
  const group = isAnnounced ? announcedGroup(words, at) : last;
  return group && [group.count, group.digits];
}
