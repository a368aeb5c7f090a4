/** One word of an address, reduced to lower-case letters and digits without accents. */
export interface Word {
  text: string;
  /** Grows at every comma, slash, spaced hyphen and the like. */
  segment: number;
  /** True when a hyphen stands between the word before and this one. */
  hyphen: boolean;
  /** True when a full stop follows, as in an abbreviation. */
  dot: boolean;
}

const COMMA_LIKE = new Set([...',;/|:()[]\n\r\t–—•·'].map((character) => character.charCodeAt(0)));

/** `s/n`, no house number, is one word. */
const NO_NUMBER = /\bs\/n\b/g;
/** The point of `1.578`, but not that of the CEP `01.310-200`. */
const THOUSANDS = /(?<=\b\d{1,3})\.(?=\d{3}\b(?![- ]?\d))/g;

const isDigitCode = (c: number): boolean => c >= 48 && c <= 57;

/** Expects a text in lower case; letters beyond ASCII are of words; signs, symbols and surrogates are not. */
const isWordCode = (c: number): boolean =>
  (c >= 97 && c <= 122) ||
  isDigitCode(c) ||
  (c >= 0xc0 &&
    !isMark(c) &&
    c !== 0xd7 &&
    c !== 0xf7 &&
    !(c >= 0x2000 && c <= 0x2bff) &&
    !(c >= 0xd800 && c <= 0xdfff));

const isMark = (c: number): boolean => c >= 0x300 && c <= 0x36f;

/** A hyphen with a space, or nothing, on one of its sides separates; one between two letters does not. */
function isSpaced(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at + 1);
  return !((isWordCode(before) || isMark(before)) && (isWordCode(after) || isMark(after)));
}

/** The slash of `EQN 208/209`. */
const isBetweenNumbers = (text: string, at: number): boolean =>
  text[at] === '/' && isDigitCode(text.charCodeAt(at - 1)) && isDigitCode(text.charCodeAt(at + 1));

/** Splits any text into words in one pass: `d'Oeste` and `d Oeste` into two, `Embu-Guaçu` into two of one segment. */
export function toWords(address: string): Word[] {
  const plain = address.normalize('NFD').toLowerCase();
  const numbered = plain.includes('/') ? plain.replaceAll(NO_NUMBER, 'sn') : plain;
  const text = numbered.includes('.') ? numbered.replaceAll(THOUSANDS, '') : numbered;
  const words: Word[] = [];
  let segment = 0;
  let hyphen = false;
  // The word's letters before a mark, and where those after it begin.
  let current = '';
  let from = 0;
  for (let i = 0; i <= text.length; i++) {
    const c = text.charCodeAt(i);
    if (isWordCode(c)) continue;
    current += text.slice(from, i);
    from = i + 1;
    if (isMark(c)) continue;
    if (current !== '') {
      words.push({ text: current, segment, hyphen, dot: c === 46 });
      current = '';
      hyphen = false;
    }
    const isHyphen = c === 45;
    hyphen ||= isHyphen;
    if ((COMMA_LIKE.has(c) && !isBetweenNumbers(text, i)) || (isHyphen && isSpaced(text, i))) segment++;
  }
  return words;
}

export const wordsOf = (text: string): string[] => toWords(text).map((word) => word.text);

/** The key of a name in ordinary letters: the texts of its words, a space between. */
export function nameKey(name: string): string {
  const letters = name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, '');
  return letters.replaceAll(/[^a-z0-9]+/g, ' ').trim();
}
