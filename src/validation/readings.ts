/**
 * Readings of texts that people and scanners write in different ways. A reading accepts any text. A text without a
 * meaning keeps a form that the contract refuses.
 */
export type TextReading = keyof typeof readings;

/** Most characters of a text that is read. A longer one is refused by its length; reading it would cost more. */
const LONGEST = 200;

const ASCII = /^[ -~]*$/;
const SPACE = /\p{Zs}/gu;
/** Dashes, including the minus sign: it is not a dash in Unicode, but people type it as one. */
const DASH = /[\p{Pd}\u2212]/gu;
const INVISIBLE = /\p{Cf}/gu;
/** ASCII signs in the width of a Chinese letter. A footnote's ² is not among them, because it does not mean 2. */
const FULL_WIDTH = /[\uFF01-\uFF5E]/g;
const toAscii = (sign: string): string => String.fromCharCode(sign.charCodeAt(0) - 0xfee0);

/** The text without invisible signs. Blanks, dashes and full-width signs become those of ASCII. */
function plain(text: string): string {
  if (text.length > LONGEST) return text;
  const ascii = ASCII.test(text)
    ? text
    : text.replace(FULL_WIDTH, toAscii).replace(SPACE, ' ').replace(DASH, '-').replace(INVISIBLE, '');
  return ascii.trim();
}

/** The letters, digits and signs of a code, in capitals. Blanks, dashes and case only help the eye. */
const bare = (text: string): string =>
  plain(text)
    .replaceAll(/[\s.-]/g, '')
    .toUpperCase();

const UUID = /^([0-9A-F]{8})([0-9A-F]{4})([0-9A-F]{4})([0-9A-F]{4})([0-9A-F]{12})$/;

/** A blank in place of an offset's plus sign, as in a query string without encoding. */
const LOST_PLUS = /(T[\d:.]+) (\d\d:\d\d)$/;
const BEYOND_MICROSECONDS = /(\.\d{6})\d+/;

export const readings = {
  plain,
  bare,
  /** Crockford's base 32 has no O, I and L. They are read as the digits that they resemble. */
  tracking_code: (text: string) => bare(text).replaceAll('O', '0').replaceAll(/[IL]/g, '1'),
  /** Seven digits are a CEP whose leading zero a spreadsheet dropped. Letters are read as in an address. */
  postal_code: (text: string) =>
    bare(text)
      .replaceAll('O', '0')
      .replace(/^\d{7}$/, '0$&'),
  uuid: (text: string) => bare(text).replace(UUID, '$1-$2-$3-$4-$5').toLowerCase(),
  time: (text: string) => text.replace(LOST_PLUS, '$1+$2').replace(BEYOND_MICROSECONDS, '$1'),
};

/** Least length of a whole code. Shorter groups are parts of one code, as on a label: `7ZK3 M9P2 QP1S`. */
const SHORTEST_CODE = 12;

/** The codes in a text, separated by line ends, commas, semicolons, tabs or blanks. */
export const codesIn = (text: string): string[] =>
  text.split(/[\n\r\t,;]+/).flatMap((line) => {
    const groups = line.split(/\s+/).filter(Boolean);
    if (groups.every(({ length }) => length >= SHORTEST_CODE)) return groups;
    return [groups.join(' ')];
  });

export const isReading = (name: unknown): name is TextReading =>
  typeof name === 'string' && Object.hasOwn(readings, name);
