import { RefusalError } from './operations.js';

// Numbers as people type them: with a comma for the decimals in Brazil, with a point in files of programs.

const PLAIN = /^-?\d+([.,]\d+)?$/;
/** `1.349,90` and `1.349.000`: points between thousands. */
const GROUPED = /^\d{1,3}((\.\d{3})+,\d+|(\.\d{3}){2,})$/;
/** `1.349` and `1,349` are 1349 to some and 1.349 to others; so is `1,349.90`. */
const AMBIGUOUS = /^\d{1,3}([.,]\d{3}|(,\d{3})+\.\d+)$/;

const withPoint = (text: string): string => text.replace(',', '.');
const typed = (text: string): string => text.trim().replace(/^R\$\s*/, '');

/**
 * The number as the contract writes it: `1349.90` for `1.349,90`, `1349,90` and `1349.90`. A text that is no number
 * comes back as it is, and the contract refuses it. Throws RefusalError on the field, with both readings, for a number
 * that has two.
 */
export function plainNumber(text: string, field: string): string {
  const number = typed(text);
  if (AMBIGUOUS.test(number)) throw ambiguous(number, field);
  if (GROUPED.test(number)) return withPoint(number.replaceAll('.', ''));
  return PLAIN.test(number) ? withPoint(number) : number;
}

/** The same with two decimals, where there are fewer. */
export const plainAmount = (text: string, field: string): string =>
  plainNumber(text, field).replace(
    /^(\d+)(?:\.(\d?))?$/,
    (_, whole, decimal = '') => `${whole}.${decimal.padEnd(2, '0')}`,
  );

/**
 * A size or a weight, whose decimals may be three: `1,349` kg and `1.349` kg alike; NaN for a text that is not a
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
