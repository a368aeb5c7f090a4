/** One word of an address, reduced to lower-case letters and digits without accents. */
export interface Word {
  text: string;
  /** The number of the segment: it grows at every comma, slash, spaced hyphen and the like. */
  segment: number;
  /** True when a hyphen stands between the word before and this one. */
  hyphen: boolean;
  /** True when a full stop follows, as in an abbreviation. */
  dot: boolean;
}

const COMMA_LIKE = new Set([...',;/|:()[]\n\r\t–—•·'].map((character) => character.charCodeAt(0)));

/** `s/n`, which means "no house number". It is read as one word. */
const NO_NUMBER = /\bs\/n\b/g;
/** The point of `1.578`, but not the point of the CEP `01.310-200`. */
const THOUSANDS = /(?<=\b\d{1,3})\.(?=\d{3}\b(?![- ]?\d))/g;

const isDigitCode = (c: number): boolean => c >= 48 && c <= 57;

/** Tells whether a character of a plain text belongs to a word: digits and all letters do, signs and symbols do not. */
const isWordCode = (c: number): boolean =>
  (c >= 97 && c <= 122) ||
  isDigitCode(c) ||
  (c >= 0xc0 && c !== 0xd7 && c !== 0xf7 && !(c >= 0x2000 && c <= 0x2bff) && !(c >= 0xd800 && c <= 0xdfff));

const withoutMarks = (text: string): string =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '');

/** Replaces signs of other scripts and of typesetting by those of a keyboard. Long dashes only between digits. */
const toKeyboard = (text: string): string =>
  text
    .replace(/[\uff01-\uff5e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060\ufeff]/g, '')
    .replace(/[\u2010-\u2012\u2212\ufe58\ufe63]/g, '-')
    .replace(/(?<=\d) ?[\u2013-\u2015] ?(?=\d)/g, '-');

/**
 * Letters of Latin-1 without their marks. Most addresses have no other letters, and a table is much faster for these.
 */
const plainLetters = Buffer.from(
  Array.from({ length: 256 }, (_, code) => withoutMarks(String.fromCharCode(code)).charCodeAt(0)),
);
const bytes = Buffer.alloc(1_000);

/** The text in lower case, without marks. */
function plainText(text: string): string {
  if (/[^\0-\xff]/.test(text)) return withoutMarks(toKeyboard(text));
  if (text.length > bytes.length) return withoutMarks(text);
  const { length } = text;
  bytes.write(text, 'latin1');
  for (let at = 0; at < length; at++) bytes[at] = plainLetters[bytes[at] ?? 0] ?? 0;
  return bytes.toString('latin1', 0, length);
}

/** Tells whether a hyphen separates parts: it lacks a letter or digit on one side. In `Embu-Guaçu` it does not. */
const isSpaced = (text: string, at: number): boolean =>
  !(isWordCode(text.charCodeAt(at - 1)) && isWordCode(text.charCodeAt(at + 1)));

/** Tells whether a slash stands between numbers: `EQN 208/209`. */
const isBetweenNumbers = (text: string, at: number): boolean =>
  text[at] === '/' && isDigitCode(text.charCodeAt(at - 1)) && isDigitCode(text.charCodeAt(at + 1));

/** The label in `CEP01310200`, which is read as two words. */
const GLUED_LABEL = /\bcep(?=[\do]*\d)/g;

/** Splits any text into words in one pass. `d'Oeste` and `d Oeste` are two, `Embu-Guaçu` is two of one segment. */
export function toWords(address: string): Word[] {
  const plain = plainText(address);
  const numbered = plain.includes('/') ? plain.replaceAll(NO_NUMBER, 'sn') : plain;
  const labelled = numbered.includes('cep') ? numbered.replaceAll(GLUED_LABEL, 'cep ') : numbered;
  const text = labelled.includes('.') ? labelled.replaceAll(THOUSANDS, '') : labelled;
  const words: Word[] = [];
  let segment = 0;
  let hyphen = false;
  let from = 0;
  for (let i = 0; i <= text.length; i++) {
    const c = text.charCodeAt(i);
    if (isWordCode(c)) continue;
    if (i > from) {
      words.push({ text: text.slice(from, i), segment, hyphen, dot: c === 46 });
      hyphen = false;
    }
    from = i + 1;
    const isHyphen = c === 45;
    hyphen ||= isHyphen;
    if ((COMMA_LIKE.has(c) && !isBetweenNumbers(text, i)) || (isHyphen && isSpaced(text, i))) segment++;
  }
  return words;
}

export const wordsOf = (text: string): string[] => toWords(text).map((word) => word.text);

/** The key of a name in plain letters: its words, joined by spaces. */
export const nameKey = (name: string): string =>
  plainText(name)
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim();
