import type { FieldError } from './errors.js';

/** Sides in cm, weight in g. */
export interface Dimensions {
  width: number;
  height: number;
  length: number;
  weight: number;
}

const MAX_SIDE = 100;
const MAX_SUM_LENGTH = 200;
const HEAVIEST = 30_000;
// Tolerance, because decimal sides with a sum of exactly 200 can have a slightly larger binary sum.
const HAIR = 1e-9;

const bounds = [
  ['width', MAX_SIDE],
  ['height', MAX_SIDE],
  ['length', MAX_SIDE],
  ['weight', HEAVIEST],
] as const;

/** The cube with the largest volume that the carrier accepts. No package is billed for more. */
export const maxDimensions: Dimensions = {
  width: (MAX_SUM_LENGTH + HAIR) / 3,
  height: (MAX_SUM_LENGTH + HAIR) / 3,
  length: (MAX_SUM_LENGTH + HAIR) / 3,
  weight: HEAVIEST,
};

/** Finds errors of dimensions that the carrier does not accept (contracts/guides/behaviour.md#units-and-formats). */
export function dimensionErrors(dimensions: Dimensions, path: string): FieldError[] {
  const errors = bounds
    .filter(([name, max]) => !(dimensions[name] > 0 && dimensions[name] <= max))
    .map(([name, max]): FieldError => {
      const code = dimensions[name] > max ? 'too_large' : 'too_small';
      return { field: `${path}.${name}`, code, message: `must be above 0 and at most ${max}` };
    });
  const sum = dimensions.width + dimensions.height + dimensions.length;
  if (errors.length > 0 || sum <= MAX_SUM_LENGTH + HAIR) return errors;
  return [{ field: path, code: 'too_large', message: `the sum of the sides must be at most ${MAX_SUM_LENGTH} cm` }];
}
