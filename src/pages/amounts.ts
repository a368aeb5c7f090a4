import { RefusalError } from './operations.js';

// Reads numbers as people type them: a decimal comma as in Brazil, or a decimal point as in files of programs.

const PLAIN = /^-?\d+([.,]\d+)?$/;
/** Matches numbers with points between thousands: `1.349,90` and `1.349.000`. */
const GROUPED = /^\d{1,3}((\.\d{3})+,\d+|(\.\d{3}){2,})$/;
/** Matches numbers with two readings: `1.349` and `1,349` may mean 1349 or 1.349. `1,349.90` is refused, too. */
const AMBIGUOUS = /^\d{1,3}([.,]\d{3}|(,\d{3})+\.\d+)$/;

const withPoint = (text: string): string => text.replace(',', '.');
const typed = (text: string): string => text.trim().replace(/^R\$\s*/, '');

/**
 * Returns the number in the form of the contract: `1349.90` for `1349,90` and for `1.349,90`. A text that is not a
 * number is returned unchanged, and the contract refuses it. Throws RefusalError on the field, with both readings, for
 * a number that has two.
 */
export function plainNumber(text: string, field: string): string {
  const number = typed(text);
  if (AMBIGUOUS.test(number)) throw ambiguous(number, field);
  if (GROUPED.test(number)) return withPoint(number.replaceAll('.', ''));
  return PLAIN.test(number) ? withPoint(number) : number;
}

/** Returns the number like `plainNumber`, with at least two decimals. */
export const plainAmount = (text: string, field: string): string =>
  plainNumber(text, field).replace(
    /^(\d+)(?:\.(\d?))?$/,
    (_, whole, decimal = '') => `${whole}.${decimal.padEnd(2, '0')}`,
  );

/**
 * Reads a size or a weight, which may have three decimals: `1,349` kg equals `1.349` kg. NaN for a text that is not a
 * number.
 */
export function measure(text: string): number {
  const number = typed(text);
  if (PLAIN.test(number)) return Number(withPoint(number));
  return GROUPED.test(number) ? Number(withPoint(number.replaceAll('.', ''))) : Number.NaN;
}

/** Reads degrees with any number of decimals. NaN for a text that is not a number. */
export const degrees = (text: string): number =>
  PLAIN.test(text.trim()) ? Number(withPoint(text.trim())) : Number.NaN;

function ambiguous(number: string, field: string): RefusalError {
  const large = number.replaceAll(/[.,](?=\d{3}(\D|$))/g, '');
  const [whole, ...decimals] = number.split(/[.,]/);
  const message = `is ${large} or ${whole}.${decimals.join('')}`;
  return new RefusalError('VALIDATION_ERROR', 'invalid_fields', 'The request is not valid.', {
    details: [{ field, code: 'pattern', message }],
  });
}
