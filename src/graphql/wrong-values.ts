import { GraphQLError } from 'graphql';
import type { FieldError } from '../base/errors.js';

/** A limited list of field errors. If there are more errors, the last entry says so. */
export interface WrongValues {
  readonly errors: readonly FieldError[];
  /** True if there are more errors than the list may have, so that the search can stop. */
  isFull(): boolean;
  add(error: FieldError): void;
  /** Notes that there are more errors than those in the list. */
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

/** Shortens a name that the client chose, so that answers stay small. */
export const shown = (name: string): string => name.slice(0, MAX_NAME).toWellFormed();

/** The error of a request with values of the wrong type. Undefined if all are right. Its message repeats no value. */
export function typeError({ errors }: WrongValues): GraphQLError | undefined {
  const [first, ...others] = errors;
  if (!first) return undefined;
  const rest = others.length > 0 ? ' Other fields are wrong too: extensions.errors names them.' : '';
  const message = `${first.field} ${first.message}.${rest}`;
  return new GraphQLError(message, { extensions: { code: 'VALIDATION_ERROR', reason: 'invalid_fields', errors } });
}
