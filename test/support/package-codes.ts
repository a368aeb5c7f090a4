/** The rules of the two codes of a package, with which tests check the codes of the service. */

export const SYMBOLS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** An element of GF(32) times x, where x⁵ + x² + 1 = 0. */
const timesX = (element: number): number => ((element << 1) & 31) ^ (element & 16 ? 0b101 : 0);

/** Twelve characters whose polynomial is zero at x. */
export const isTrackingCode = (text: string): boolean =>
  /^[0-9A-HJKMNP-TV-Z]{12}$/.test(text) &&
  [...text].reduce((sum, symbol) => timesX(sum) ^ SYMBOLS.indexOf(symbol), 0) === 0;

/** Eighteen digits as GS1 defines: with the weights 1 and 3 from the right they sum to a multiple of ten. */
export function isBarcode(text: string): boolean {
  const weighted = [...text].reverse().map((digit, at) => Number(digit) * (at % 2 === 0 ? 1 : 3));
  return /^\d{18}$/.test(text) && weighted.reduce((sum, value) => sum + value, 0) % 10 === 0;
}
