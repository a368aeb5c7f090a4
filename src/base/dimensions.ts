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

/** A cube of this size has the largest volume that the carrier takes: nothing is billed for more, by weight or by volume. */
export const largestDimensions: Dimensions = {
  width: (LONGEST_SUM + HAIR) / 3,
  height: (LONGEST_SUM + HAIR) / 3,
  length: (LONGEST_SUM + HAIR) / 3,
  weight: HEAVIEST,
};

/**
 * What the carrier does not take (contracts/guides/behaviour.md#units-and-formats): sides above 100 cm, more than 200 cm in all,
 * above 30 kg, or anything that is not above zero. `path` is where the dimensions stand in the request.
 */
export function dimensionErrors(dimensions: Dimensions, path: string): FieldError[] {
  const errors = bounds
    .filter(([name, most]) => !(dimensions[name] > 0 && dimensions[name] <= most))
    .map(([name, most]) => ({ field: `${path}.${name}`, message: `must be above 0 and at most ${most}` }));
  const sum = dimensions.width + dimensions.height + dimensions.length;
  if (errors.length > 0 || sum <= LONGEST_SUM + HAIR) return errors;
  return [{ field: path, message: `the sum of the sides must be at most ${LONGEST_SUM} cm` }];
}
