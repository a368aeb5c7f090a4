import anyAscii from 'any-ascii';

/** What a label printer's own font has: ASCII, and the letters and signs of Latin-1. */
const ZPL_PRINTS = /^[ -~\u{a1}-\u{ac}\u{ae}-\u{ff}]*$/u;

/** What is shown as it is in a PDF: the other letters of Latin alphabets too, and what stands between words. */
const PDF_PRINTS = /^[ -~\u{a1}-\u{ac}\u{ae}-\u{24f}\u{1e00}-\u{1ef9}\u{2010}-\u{2027}\u{20ac}]*$/u;

const SPACES = /[\s\u0085]+/gu;
/** Unicode's own list of what has no appearance, such as marks of direction. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const MARK = /^\p{M}$/u;
const UNKNOWN = '?';

/** No box of a label holds more, however narrow the letters are; one emoji may become thirty. */
const MOST_LETTERS = 1_100;

/**
 * The text in Latin letters on one line: single spaces, composed letters, other letters as Latin ones that sound alike,
 * a question mark where there are none. Every character is a UTF-16 code unit of its own. Never empty unless the text
 * is.
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
    if (letters.length > MOST_LETTERS) break;
  }
  return letters;
}

/** A mark that no letter has taken up is left out. */
function similarTo(character: string): string {
  const similar = anyAscii(character).trim();
  if (similar === '') return MARK.test(character) ? '' : UNKNOWN;
  return ZPL_PRINTS.test(similar) ? similar : UNKNOWN;
}

export const printedInPdf = printedBy(PDF_PRINTS);
export const printedInZpl = printedBy(ZPL_PRINTS);
