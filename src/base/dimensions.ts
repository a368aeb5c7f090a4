import type { FieldError } from './errors.js';

/** Sides in cm, weight in g. */
export interface Dimensions {
  width: number;
  height: number;
  length: number;
  weight: number;
}

const LONGEST_SIDE = 100;
const LONGEST_SUM = 200;
const HEAVIEST = 30_000;
// Decimal sides that are exactly 200 in all can add up to a hair more in binary.
const HAIR = 1e-9;

const bounds = [
  ['width', LONGEST_SIDE],
  ['height', LONGEST_SIDE],
  ['length', LONGEST_SIDE],
  ['weight', HEAVIEST],
] as const;

/** The cube of the largest volume that the carrier takes: nothing is billed for more. */
export const largestDimensions: Dimensions = {
  width: (LONGEST_SUM + HAIR) / 3,
  height: (LONGEST_SUM + HAIR) / 3,
  length: (LONGEST_SUM + HAIR) / 3,
  weight: HEAVIEST,
};

/** Errors of dimensions that the carrier does not take (contracts/guides/behaviour.md#units-and-formats). */
export function dimensionErrors(dimensions: Dimensions, path: string): FieldError[] {
  const errors = bounds
    .filter(([name, most]) => !(dimensions[name] > 0 && dimensions[name] <= most))
    .map(([name, most]): FieldError => {
      const code = dimensions[name] > most ? 'too_large' : 'too_small';
      return { field: `${path}.${name}`, code, message: `must be above 0 and at most ${most}` };
    });
  const sum = dimensions.width + dimensions.height + dimensions.length;
  if (errors.length > 0 || sum <= LONGEST_SUM + HAIR) return errors;
  return [{ field: path, code: 'too_large', message: `the sum of the sides must be at most ${LONGEST_SUM} cm` }];
}
