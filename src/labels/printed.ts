import anyAscii from 'any-ascii';

/** A label printer's own font: ASCII, and the letters and signs of Latin-1. */
const ZPL_PRINTS = /^[ -~\u{a1}-\u{ac}\u{ae}-\u{ff}]*$/u;

/** Shown as they are in a PDF: letters of all Latin alphabets, and signs between words. */
const PDF_PRINTS = /^[ -~\u{a1}-\u{ac}\u{ae}-\u{24f}\u{1e00}-\u{1ef9}\u{2010}-\u{2027}\u{20ac}]*$/u;

const SPACES = /[\s\u0085]+/gu;
/** Unicode's list of characters without appearance, such as marks of direction. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const MARK = /^\p{M}$/u;
const UNKNOWN = '?';

/** No box of a label holds more, however narrow the letters are; one emoji may become thirty. */
const MAX_LETTERS = 1_100;

/**
 * The text in Latin letters on one line, with similar letters or a question mark for those of other scripts. Every
 * character is a UTF-16 code unit of its own. Only an empty text becomes empty.
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

/** A mark without a letter is left out. */
function similarTo(character: string): string {
  const similar = anyAscii(character).trim();
  if (similar === '') return MARK.test(character) ? '' : UNKNOWN;
  return ZPL_PRINTS.test(similar) ? similar : UNKNOWN;
}

export const printedInPdf = printedBy(PDF_PRINTS);
export const printedInZpl = printedBy(ZPL_PRINTS);
