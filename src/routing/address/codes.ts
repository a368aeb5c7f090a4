import { isDigit, isHouseNumber, isNumberSign, isRoadWord, isStreetWord } from './segments.js';
import { stateByCode } from './states.js';
import type { Word } from './words.js';

/** Words before a code in a street's name: `Rua Projetada B-1`, `Estrada Municipal ANS-08`. */
const BEFORE_CODE = new Set(['projetada', 'particular', 'municipal', 'vicinal', 'linha', 'ramal', 'rural', 'local']);
export const standsBeforeCode = (word: string | undefined): boolean => BEFORE_CODE.has(word ?? '');

const COMPLEMENT_LETTERS = new Set([
  'ap',
  'apt',
  'bl',
  'cs',
  'sl',
  'lj',
  'lt',
  'lts',
  'qd',
  'qda',
  'cj',
  'km',
  'gl',
  'box',
]);

const LETTERS = /^[a-z]{1,3}$/;
const DIGITS = /^\d{1,4}[a-z]?$/;
const CODE = /^([a-z]{1,3})(\d{1,4}[a-z]?)$/;
const GLUED = /^(ap|apt|apto|bl|cs|sl|lj|lt|lts|qd|qda|q|l|cj|km|gl|n)(\d{1,5}[a-z]?)$/;

/** Tells whether the word is a code, as streets have for a name: `t63`. */
export const isCode = (word: string | undefined): word is string => word !== undefined && CODE.test(word);

/** Tells whether the word is one to three letters, as before the number of a code. */
export const mayLeadCode = (word: string): boolean => LETTERS.test(word);

export const isCodeLetters = (word: string): boolean => mayLeadCode(word) && !COMPLEMENT_LETTERS.has(word);

/** `t63` → `t-63`, as signs write it. */
export const hyphened = (word: string): string => (endsInNumber(word) ? word.replace(CODE, '$1-$2') : word);

/** Tells whether the letters are those of a road (`BR`, `SP`). The road's number stays a word of its own. */
export const isRoadLetters = (word: string): boolean => word === 'br' || stateByCode(word) !== undefined;

/** Joins `T-63` to one word where the name of a street stands. Elsewhere splits `Qd300` into two words. */
export function withCodes(words: readonly Word[]): readonly Word[] {
  if (!words.some(mayBeCoded)) return words;
  const coded: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const next = words[at + 1];
    if (word === undefined) break;
    const isName = isNamePlace(words, at);
    if (next?.hyphen && isName && isCodeBefore(words, at) && DIGITS.test(next.text) && isOneName(words, at)) {
      coded.push({ ...word, text: word.text + next.text });
      at++;
    } else coded.push(...(isName && !isComplementPlace(words, at) ? [word] : unglued(word)));
  }
  return coded;
}

/** Tells whether the word is a number after a hyphen, or has letters and digits. */
const mayBeCoded = ({ text, hyphen }: Word): boolean => (isHouseNumber(text) ? hyphen : endsInNumber(text));

/** Tells whether the last or the last but one character is a digit. */
export const endsInNumber = (word: string): boolean =>
  isDigit(word.charCodeAt(word.length - 1)) || isDigit(word.charCodeAt(word.length - 2));

/**
 * Tells whether the word is the letters of a code, before its number. `BR-101` is a road, and `nº-10` a house number.
 */
function isCodeBefore(words: readonly Word[], at: number): boolean {
  const { text = '' } = words[at] ?? {};
  const isAfterKind = isInSegment(words, at - 1, at);
  if (!LETTERS.test(text) || isNumberSign(text) || (COMPLEMENT_LETTERS.has(text) && !isAfterKind)) return false;
  return !isRoadLetters(text) || (isAfterKind && !isRoadWord(words[at - 1]?.text));
}

/** Tells whether letters and number are one name: `Rua A-1` or, before a house number, `Rua A - 1, 100`. */
function isOneName(words: readonly Word[], at: number): boolean {
  if (isInSegment(words, at + 1, at)) return true;
  const after = words[at + 2];
  const isApart = after !== undefined && after.segment !== words[at + 1]?.segment;
  return isInSegment(words, at - 1, at) && isApart && (isHouseNumber(after.text) || isNumberSign(after.text));
}

/** Tells whether a word is first in its part of the address, or follows the word for the kind of a street. */
function isNamePlace(words: readonly Word[], at: number): boolean {
  if (!isInSegment(words, at - 1, at)) return true;
  const before = words[at - 1]?.text ?? '';
  if (!isInSegment(words, at - 2, at)) return isStreetWord(before) || BEFORE_CODE.has(before);
  return BEFORE_CODE.has(before) && !isInSegment(words, at - 3, at);
}

/** Tells whether a word such as `Qd300` begins a part of the address that is not the first. */
const isComplementPlace = (words: readonly Word[], at: number): boolean =>
  at > 0 && !isInSegment(words, at - 1, at) && /^(?!l|n)/.test(words[at]?.text ?? '');

const isInSegment = (words: readonly Word[], other: number, at: number): boolean =>
  words[other] !== undefined && words[other]?.segment === words[at]?.segment;

function unglued(word: Word): Word[] {
  const [, letters = '', digits = ''] = GLUED.exec(word.text) ?? [];
  if (letters === '') return [word];
  return [
    { ...word, text: letters, dot: false },
    { ...word, text: digits, hyphen: false },
  ];
}

/** Words for parts of land, in their usual spelling. They stand in place of a house number, or beside it. */
const lotWords = new Map(
  Object.entries({
    ...{ gleba: 'gleba', gl: 'gleba', quadra: 'quadra', qd: 'quadra', qda: 'quadra', q: 'quadra' },
    ...{ lote: 'lote', lt: 'lote', lts: 'lote', lotes: 'lote', l: 'lote', chacara: 'chácara', km: 'km' },
  }),
);
const lotOrder = ['gleba', 'quadra', 'chácara', 'lote', 'km'];

/** Finds the parts of land in the words (`quadra 300`, `lote 1`): each kind once, always in the same order. */
export function lotsIn(words: readonly string[], from = 0): readonly string[] {
  let lots: Map<string, string> | undefined;
  for (let at = from; at < words.length - 1; at++) {
    const value = words[at + 1] ?? '';
    // A quick way out: the next word is rarely a number or one letter.
    if (value.length > 1 && !isHouseNumber(value)) continue;
    const word = words[at] ?? '';
    const part = lotWords.get(word);
    if (part === undefined || lots?.has(part)) continue;
    if (isHouseNumber(value) || (word.length > 1 && part !== 'km'))
      lots = (lots ?? new Map()).set(part, numberedPart(value, words[at + 2]));
  }
  return lots ? lotOrder.flatMap((part) => (lots.has(part) ? `${part} ${lots.get(part)}` : [])) : [];
}

/** Spells a number in one way: `12 A` and `012a` are `12a`. */
function numberedPart(value: string, next: string | undefined): string {
  const letter = /^\d+$/.test(value) && next?.length === 1 && /[a-d]/.test(next) ? next : '';
  return value.replace(/^0+(?=\d)/, '') + letter;
}
