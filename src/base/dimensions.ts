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
// Decimal sides that are exactly 200 in all can add up to a hair more in binary.
const HAIR = 1e-9;

const bounds = [
  ['width', MAX_SIDE],
  ['height', MAX_SIDE],
  ['length', MAX_SIDE],
  ['weight', HEAVIEST],
] as const;

/** The cube of the largest volume that the carrier takes. No package is billed for more. */
export const maxDimensions: Dimensions = {
  width: (MAX_SUM_LENGTH + HAIR) / 3,
  height: (MAX_SUM_LENGTH + HAIR) / 3,
  length: (MAX_SUM_LENGTH + HAIR) / 3,
  weight: HEAVIEST,
};

/** Errors of dimensions that the carrier does not take (contracts/guides/behaviour.md#units-and-formats). */
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
