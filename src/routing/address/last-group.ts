import { isComplementWord, isCountryWord, isHouseNumber } from './segments.js';
import { stateByCode } from './states.js';
import type { Word } from './words.js';

/** Digits that may be a CEP, and how many words they take. */
export interface DigitGroup {
  from: number;
  count: number;
  /** Undefined if the group stands where a CEP belongs, but is not one. */
  digits: string | undefined;
}

/** Digits in which a letter O may stand for a zero. */
const ZERO = /^(?=.*\d)[\do]+$/;
const PHONE = new Set('tel telefone fone cel celular whatsapp whats zap contato fax'.split(' '));
const isZeros = (text: string): boolean => /^o{1,3}$/.test(text);

const isGroupWord = (words: readonly Word[], at: number): boolean => {
  const { text = '', hyphen = false } = words[at] ?? {};
  const first = text.charCodeAt(0);
  // A quick way out: most words begin with neither an O (code 111) nor a digit.
  if (first !== 111 && !isHouseNumber(text)) return false;
  return ZERO.test(text) || (hyphen && isZeros(text));
};

const isSameSegment = (words: readonly Word[], at: number): boolean =>
  words[at - 1] !== undefined && words[at - 1]?.segment === words[at]?.segment;

/** The digits after the word CEP, in whatever spelling: eight, or seven that lost their zero. */
export function announcedGroup(words: readonly Word[], from: number): DigitGroup | undefined {
  if (!/\d/.test(words[from]?.text ?? '')) return undefined;
  let count = 0;
  let length = 0;
  while (length < 8 && isGroupWord(words, from + count) && (count === 0 || isJoined(words, from + count))) {
    length += words[from + count]?.text.length ?? 0;
    count++;
  }
  return { from, count: Math.max(1, count), digits: toDigits(words, from, count) };
}

const isJoined = (words: readonly Word[], at: number): boolean =>
  isSameSegment(words, at) || (words[at]?.hyphen ?? false);

/**
 * The last digits of an address, if they stand where a CEP belongs: eight in any spelling, seven, nine, or digits with
 * a letter among them. House numbers, flats and telephone numbers are not taken for a CEP.
 */
export function lastGroup(words: readonly Word[]): DigitGroup | undefined {
  let end = words.length;
  while (end > 0 && !hasDigit(words[end - 1]?.text ?? '') && !isGroupWord(words, end - 1)) end--;
  if (end === 0) return undefined;
  const from = startOf(words, end);
  const count = end - from;
  if (count === 0) return misspelled(words, end);
  const isLast = isEnd(words, end);
  if (!isPlaceOfCode(words, from, end, isLast)) return misspelled(words, end);
  return { from, count, digits: toDigits(words, from, count) };
}

/** Tells whether the address ends here, or only the country follows. */
const isEnd = (words: readonly Word[], end: number): boolean =>
  words.slice(end).every(({ text }) => isCountryWord(text));

function hasDigit(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (isHouseNumber(text[at])) return true;
  return false;
}

/** The index of the first word of a group of seven to nine digits that ends before `end`. Without a group: `end`. */
function startOf(words: readonly Word[], end: number): number {
  let from = end;
  let length = 0;
  const take = (): void => {
    from--;
    length += words[from]?.text.length ?? 0;
  };
  while (from > 0 && isGroupWord(words, from - 1) && (from === end || isSameSegment(words, from))) take();
  if (from < end && length < 7 && words[from]?.hyphen && isGroupWord(words, from - 1)) take();
  if (length > 9 && isFourAndThree(words, end - 2)) return end - 2;
  return length >= 7 && length <= 9 ? from : end;
}

const isFourAndThree = (words: readonly Word[], at: number): boolean =>
  words[at]?.text.length === 4 && words[at + 1]?.text.length === 3 && words[at + 1]?.hyphen === true;

function isPlaceOfCode(words: readonly Word[], from: number, end: number, isLast: boolean): boolean {
  const before = words[from - 1];
  const after = words[end];
  const isFlat = isSameSegment(words, from) && isComplementWord(before?.text ?? '');
  // `(13) 3222-1234`
  const isPhone =
    PHONE.has(before?.text ?? '') || (/^\d\d$/.test(before?.text ?? '') && words[end - 1]?.text.length === 4);
  if (isFlat || isPhone) return false;
  const startsSegment = before === undefined || !isSameSegment(words, from);
  const isTight = words.slice(from + 1, end).some(({ hyphen }) => hyphen);
  if (isLast) return startsSegment || isTight || stateByCode(before?.text ?? '') !== undefined;
  // `1310-200 São Paulo - SP`
  const isBesideCity =
    after !== undefined && after.segment === words[end - 1]?.segment && !isComplementWord(after.text);
  return startsSegment && isBesideCity && (isTight || end - from === 1);
}

/** `0131A-200`: letters among the digits of a CEP. */
function misspelled(words: readonly Word[], end: number): DigitGroup | undefined {
  const last = words[end - 1];
  if (last === undefined || (last.text.length !== 3 && last.text.length !== 8)) return undefined;
  const first = words[end - 2];
  const isPair = last.hyphen && last.text.length === 3 && first?.text.length === 5;
  const text = isPair ? `${first.text}${last.text}` : last.text;
  const isCode = text.length === 8 && text.replaceAll(/\D/g, '').length >= 5 && isHouseNumber(text);
  return isCode && /\D/.test(text)
    ? { from: end - (isPair ? 2 : 1), count: isPair ? 2 : 1, digits: undefined }
    : undefined;
}

/** Eight digits, or seven of a CEP whose leading zero was lost. Undefined for any other count. */
function toDigits(words: readonly Word[], from: number, count: number): string | undefined {
  const texts = words.slice(from, from + count).map(({ text }) => text.replaceAll('o', '0'));
  const digits = texts.join('');
  const isWhole = digits.length === 7 && (texts.at(-1)?.length === 3 || count === 1);
  return digits.length === 8 ? digits : isWhole ? `0${digits}` : undefined;
}
