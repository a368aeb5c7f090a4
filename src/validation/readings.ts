/**
 * Readings of texts that people and scanners write in more than one way. Each takes any text. A text without a meaning
 * comes out in a form that the contract refuses by name.
 */
export type TextReading = keyof typeof readings;

/** Longer texts are refused by their length: to read them would cost more than the refusal. */
const LONGEST = 200;

const ASCII = /^[ -~]*$/;
const SPACE = /\p{Zs}/gu;
/** The minus sign is no dash for Unicode, but people type it as one. */
const DASH = /[\p{Pd}\u2212]/gu;
const INVISIBLE = /\p{Cf}/gu;
/** The signs of ASCII in the width of a Chinese letter. A footnote's ² is another sign than 2. */
const FULL_WIDTH = /[\uFF01-\uFF5E]/g;
const toAscii = (sign: string): string => String.fromCharCode(sign.charCodeAt(0) - 0xfee0);

/** The text without invisible signs; its blanks, dashes and digits in full width as those of ASCII. */
function plain(text: string): string {
  if (text.length > LONGEST) return text;
  const ascii = ASCII.test(text)
    ? text
    : text.replace(FULL_WIDTH, toAscii).replace(SPACE, ' ').replace(DASH, '-').replace(INVISIBLE, '');
  return ascii.trim();
}

/** The letters, digits and signs of a code, in capitals: blanks, dashes and case are for the eye. */
const bare = (text: string): string =>
  plain(text)
    .replaceAll(/[\s.-]/g, '')
    .toUpperCase();

const UUID = /^([0-9A-F]{8})([0-9A-F]{4})([0-9A-F]{4})([0-9A-F]{4})([0-9A-F]{12})$/;

/** An offset's plus sign, which stands for a blank in a query string that is not encoded. */
const LOST_PLUS = /(T[\d:.]+) (\d\d:\d\d)$/;
const BEYOND_MICROSECONDS = /(\.\d{6})\d+/;

export const readings = {
  plain,
  bare,
  /** Crockford's base 32 has no O, I and L: they are read as the digits that they look like. */
  tracking_code: (text: string) => bare(text).replaceAll('O', '0').replaceAll(/[IL]/g, '1'),
  /** Seven digits are a CEP whose first zero a spreadsheet dropped; letters are read as in an address. */
  postal_code: (text: string) =>
    bare(text)
      .replaceAll('O', '0')
      .replace(/^\d{7}$/, '0$&'),
  uuid: (text: string) => bare(text).replace(UUID, '$1-$2-$3-$4-$5').toLowerCase(),
  time: (text: string) => text.replace(LOST_PLUS, '$1+$2').replace(BEYOND_MICROSECONDS, '$1'),
};

/** Shorter groups are parts of one code, as labels print it: `7ZK3 M9P2 QP1S`. */
const SHORTEST_CODE = 12;

/** The codes of a text: one a line, or with commas, semicolons, tabs or blanks between them. */
export const codesIn = (text: string): string[] =>
  text.split(/[\n\r\t,;]+/).flatMap((line) => {
    const groups = line.split(/\s+/).filter(Boolean);
    if (groups.every(({ length }) => length >= SHORTEST_CODE)) return groups;
    return [groups.join(' ')];
  });

export const isReading = (name: unknown): name is TextReading =>
  typeof name === 'string' && Object.hasOwn(readings, name);
