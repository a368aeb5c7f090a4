import type { FieldError } from '../base/errors.js';

/** Sides in cm, weight in g. */
export interface Dimensions {
  width: number;
  height: number;
  length: number;
  weight: number;
}

const LONGEST_SUM = 200;
// Decimal sides that are exactly 200 in all can add up to a hair more in binary.
const HAIR = 1e-9;
const bounds = [
  ['width', 100],
  ['height', 100],
  ['length', 100],
  ['weight', 30_000],
] as const;

/** No package is billed for more, by weight or by volume. */
export const largestDimensions: Dimensions = {
  width: (LONGEST_SUM + HAIR) / 3,
  height: (LONGEST_SUM + HAIR) / 3,
  length: (LONGEST_SUM + HAIR) / 3,
  weight: 30_000,
};

/**
 * What the carrier does not take (contracts/guides/behaviour.md#units-and-formats): sides above 100 cm, more than 200 cm in all, above 30 kg, or
 * anything that is not more than nothing. `path` is where the dimensions stand in the request.
 */
export function dimensionFaults(dimensions: Dimensions, path: string): FieldError[] {
  const faults = bounds
    .filter(([name, most]) => !(dimensions[name] > 0 && dimensions[name] <= most))
    .map(([name, most]) => ({ field: `${path}.${name}`, message: `must be above 0 and at most ${most}` }));
  const sum = dimensions.width + dimensions.height + dimensions.length;
  if (faults.length > 0 || sum <= LONGEST_SUM + HAIR) return faults;
  return [{ field: path, message: `the sum of the sides must be at most ${LONGEST_SUM} cm` }];
}
