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

/** `t63`, the name of a street. */
export const isCode = (word: string | undefined): word is string => word !== undefined && CODE.test(word);

/** One to three letters. */
export const mayLeadCode = (word: string): boolean => LETTERS.test(word);

export const isCodeLetters = (word: string): boolean => mayLeadCode(word) && !COMPLEMENT_LETTERS.has(word);

/** `t63` → `t-63`, as signs write it. */
export const hyphened = (word: string): string => (endsInNumber(word) ? word.replace(CODE, '$1-$2') : word);

/** Letters of a road, whose number is a word of its own. */
export const isRoadLetters = (word: string): boolean => word === 'br' || stateByCode(word) !== undefined;

/** Joins `T-63` in the place of a street's name to one word, and splits `Qd300` elsewhere into two. */
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

/** A number after a hyphen, or letters and digits in one word. */
const mayBeCoded = ({ text, hyphen }: Word): boolean => (isHouseNumber(text) ? hyphen : endsInNumber(text));

/** A digit is the last letter, or the last but one. */
export const endsInNumber = (word: string): boolean =>
  isDigit(word.charCodeAt(word.length - 1)) || isDigit(word.charCodeAt(word.length - 2));

/** Letters that a number may follow in a code; `BR-101` is a road, and `nº-10` a house. */
function isCodeBefore(words: readonly Word[], at: number): boolean {
  const { text = '' } = words[at] ?? {};
  const isAfterKind = isInSegment(words, at - 1, at);
  if (!LETTERS.test(text) || isNumberSign(text) || (COMPLEMENT_LETTERS.has(text) && !isAfterKind)) return false;
  return !isRoadLetters(text) || (isAfterKind && !isRoadWord(words[at - 1]?.text));
}

/** `Rua A-1`, and with a house number after it `Rua A - 1, 100`. */
function isOneName(words: readonly Word[], at: number): boolean {
  if (isInSegment(words, at + 1, at)) return true;
  const after = words[at + 2];
  const isApart = after !== undefined && after.segment !== words[at + 1]?.segment;
  return isInSegment(words, at - 1, at) && isApart && (isHouseNumber(after.text) || isNumberSign(after.text));
}

/** First in a part of the address, or after the word for the kind of a street. */
function isNamePlace(words: readonly Word[], at: number): boolean {
  if (!isInSegment(words, at - 1, at)) return true;
  const before = words[at - 1]?.text ?? '';
  if (!isInSegment(words, at - 2, at)) return isStreetWord(before) || BEFORE_CODE.has(before);
  return BEFORE_CODE.has(before) && !isInSegment(words, at - 3, at);
}

/** `Qd300` is first in its part of the address, which is not the first part. */
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

/** Parts of land that stand in place of a house number, or beside it. */
const lotWords = new Map(
  Object.entries({
    ...{ gleba: 'gleba', gl: 'gleba', quadra: 'quadra', qd: 'quadra', qda: 'quadra', q: 'quadra' },
    ...{ lote: 'lote', lt: 'lote', lts: 'lote', lotes: 'lote', l: 'lote', chacara: 'chácara', km: 'km' },
  }),
);
const lotOrder = ['gleba', 'quadra', 'chácara', 'lote', 'km'];

/** The parts of land that the words name, each once and always in one order: `quadra 300`, `lote 1`. */
export function lotsIn(words: readonly string[], from = 0): readonly string[] {
  let lots: Map<string, string> | undefined;
  for (let at = from; at < words.length - 1; at++) {
    const value = words[at + 1] ?? '';
    // Most words are followed by none of these.
    if (value.length > 1 && !isHouseNumber(value)) continue;
    const word = words[at] ?? '';
    const part = lotWords.get(word);
    if (part === undefined || lots?.has(part)) continue;
    if (isHouseNumber(value) || (word.length > 1 && part !== 'km'))
      lots = (lots ?? new Map()).set(part, numberedPart(value, words[at + 2]));
  }
  return lots ? lotOrder.flatMap((part) => (lots.has(part) ? `${part} ${lots.get(part)}` : [])) : [];
}

/** `12 A` and `012a` are `12a`. */
function numberedPart(value: string, next: string | undefined): string {
  const letter = /^\d+$/.test(value) && next?.length === 1 && /[a-d]/.test(next) ? next : '';
  return value.replace(/^0+(?=\d)/, '') + letter;
}
