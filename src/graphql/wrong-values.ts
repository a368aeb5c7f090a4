import { GraphQLError } from 'graphql';
import type { FieldError } from '../base/errors.js';

/** A bounded list of field errors: errors beyond the bound are not added, and the last entry says so. */
export interface WrongValues {
  readonly errors: readonly FieldError[];
  /** True once more are wrong than are listed, so that the search can stop. */
  isFull(): boolean;
  add(error: FieldError): void;
  /** Notes that there are more than are listed. */
  cut(): void;
}

const MAX_LISTED = 100;
const MAX_NAME = 64;

export function wrongValues(max = MAX_LISTED): WrongValues {
  const errors: FieldError[] = [];
  return {
    errors,
    isFull: () => errors.length > max,
    add: (error) => {
      if (errors.length <= max) errors.push(errors.length < max ? error : more(max));
    },
    cut: () => {
      if (errors.length <= max) errors.push(more(errors.length));
    },
  };
}

const more = (max: number): FieldError => ({
  field: 'input',
  code: 'more_errors',
  message: `has more wrong fields than the ${max} that are listed`,
});

/** A name that the client chose, cut so that no answer grows with it. */
export const shown = (name: string): string => name.slice(0, MAX_NAME).toWellFormed();

/** The request error of values that have the wrong type; undefined when all are right. No message repeats a value. */
export function typeError({ errors }: WrongValues): GraphQLError | undefined {
  const [first, ...others] = errors;
  if (!first) return undefined;
  const rest = others.length > 0 ? ' Other fields are wrong too: extensions.errors names them.' : '';
  const message = `${first.field} ${first.message}.${rest}`;
  return new GraphQLError(message, { extensions: { code: 'VALIDATION_ERROR', reason: 'invalid_fields', errors } });
}
