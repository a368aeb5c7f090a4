import anyAscii from 'any-ascii';

/** Characters in a label printer's own font: ASCII, and the letters and signs of Latin-1. */
const ZPL_PRINTS = /^[ -~\u{a1}-\u{ac}\u{ae}-\u{ff}]*$/u;

/** Characters that a PDF shows unchanged: letters of all Latin alphabets, and signs between words. */
const PDF_PRINTS = /^[ -~\u{a1}-\u{ac}\u{ae}-\u{24f}\u{1e00}-\u{1ef9}\u{2010}-\u{2027}\u{20ac}]*$/u;

const SPACES = /[\s\u0085]+/gu;
/** Invisible characters by Unicode, such as marks of direction. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const MARK = /^\p{M}$/u;
const UNKNOWN = '?';

/** Most letters of a text. No box holds more, however narrow the letters are. One emoji may become thirty letters. */
const MAX_LETTERS = 1_100;

/**
 * Writes a text in Latin letters on one line. Letters of other scripts become similar ones, or a question mark. Every
 * character is one UTF-16 code unit. Only an empty text becomes empty.
 */
const printedBy =
  (isPrinted: RegExp) =>
  (text: string): string => {
    const line = text.normalize('NFC').replace(SPACES, ' ').replace(INVISIBLE, '').trim();
    if (line === '' && text !== '') return UNKNOWN;
    return isPrinted.test(line) ? line : transliterated(line, isPrinted);
  };

function transliterated(line: string, isPrinted: RegExp): string {
  let letters = '';
  for (const character of line) {
    letters += isPrinted.test(character) ? character : similarTo(character);
    if (letters.length > MAX_LETTERS) break;
  }
  return letters;
}

/** The similar letters of a character. A mark without a letter is left out. */
function similarTo(character: string): string {
  const similar = anyAscii(character).trim();
  if (similar === '') return MARK.test(character) ? '' : UNKNOWN;
  return ZPL_PRINTS.test(similar) ? similar : UNKNOWN;
}

export const printedInPdf = printedBy(PDF_PRINTS);
export const printedInZpl = printedBy(ZPL_PRINTS);
