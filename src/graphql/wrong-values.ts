import { GraphQLError } from 'graphql';
import type { FieldError, ServiceError } from '../base/errors.js';

/** The values of a document or of its variables that have the wrong type, as they are found. */
export interface WrongValues {
  readonly faults: readonly FieldError[];
  /** Whether looking on is of no use: more are wrong than are listed. */
  isFull(): boolean;
  add(field: string, message: string): void;
  /** Notes that there are more than are listed. */
  cut(): void;
}

const MAX_FAULTS = 100;
const MAX_NAME = 64;
const MAX_MESSAGE = 250;

/** Lists `most` of them and notes whether there are more. */
export function wrongValues(most = MAX_FAULTS): WrongValues {
  const faults: FieldError[] = [];
  return {
    faults,
    isFull: () => faults.length > most,
    add: (field, message) => {
      if (faults.length <= most) faults.push(faults.length < most ? { field, message } : more(most));
    },
    cut: () => {
      if (faults.length <= most) faults.push(more(faults.length));
    },
  };
}

const more = (most: number): FieldError => ({
  field: 'input',
  message: `has more wrong fields than the ${most} that are listed`,
});

/** A name that the client chose, cut so that no answer grows with it. */
export const shown = (name: string): string => name.slice(0, MAX_NAME).toWellFormed();

/** The request error of values that have the wrong type; undefined when none has. No message repeats a value. */
export function typeError({ faults }: WrongValues): GraphQLError | undefined {
  const [first, ...others] = faults;
  if (!first) return undefined;
  const rest = others.length > 0 ? ' Other fields are wrong too: extensions.errors names them.' : '';
  const message = `${first.field} ${first.message}.${rest}`;
  return new GraphQLError(message, { extensions: { code: 'VALIDATION_ERROR', errors: faults } });
}

/** Gives out the wrong fields of results, all results of a request together no more than may be listed. */
export function faultList(): (refusal: Pick<ServiceError, 'details' | 'isPartial'>) => FieldError[] {
  const listed = wrongValues();
  return ({ details, isPartial }) => {
    const before = listed.faults.length;
    for (const { field, message } of details) listed.add(field, message.slice(0, MAX_MESSAGE).toWellFormed());
    if (isPartial) listed.cut();
    return listed.faults.slice(before);
  };
}
