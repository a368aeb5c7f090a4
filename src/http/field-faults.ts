import type { FieldError } from '../base/errors.js';
import { isFields } from '../base/values.js';
import { alternativesAt } from './alternatives.js';
import { type Document, patternTexts } from './document.js';
import { faultText } from './fault-text.js';
import type { Operation } from './operation.js';

/**
 * One complaint of the validator: `path` is `/body/items/0/quantity`, `/query/page`, `/params/id` or
 * `/headers/if-match`.
 */
interface Complaint {
  readonly path: readonly string[];
  readonly message: string;
  readonly keyword: string;
}

/** The errors that the validator's 400 carries; undefined when it is anything else. */
export const errorsOf = (error: unknown): readonly unknown[] | undefined =>
  isFields(error) && error['status'] === 400 && Array.isArray(error['errors']) ? error['errors'] : undefined;

function complaintsOf(errors: readonly unknown[]): Complaint[] {
  return errors.filter(isFields).map(({ path, message, errorCode }) => ({
    path: String(path)
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
    message: String(message),
    keyword: String(errorCode).split('.')[0] ?? '',
  }));
}

function fieldOf({ path: [place, ...rest] }: Complaint, operation: Operation): string {
  const name = rest.join('.');
  if (place === 'headers') return operation.headerNames.get(name) ?? name;
  return name === '' ? (place ?? '') : name;
}

const key = (path: readonly string[]): string => path.join('/');

/**
 * Where an object has to choose between fields, one fault that names the choice stands for the complaints of every
 * branch.
 */
function foldChoices(complaints: readonly Complaint[], document: Document, operation: Operation): Complaint[] {
  const choices = new Map(
    complaints
      .filter(({ keyword }) => keyword === 'oneOf' || keyword === 'anyOf')
      .map(({ path }) => [key(path), alternativesAt(document, operation.body.schema, path.slice(1))]),
  );
  return complaints.flatMap((complaint) => {
    const { keyword, path, message } = complaint;
    const own = choices.get(key(path));
    if (own && own.length > 0 && /Of$/.test(keyword))
      return {
        ...complaint,
        message: `must have ${message.includes('exactly') ? 'exactly ' : ''}one of: ${own.join(', ')}`,
      };
    const branch = keyword === 'required' && choices.get(key(path.slice(0, -1)))?.includes(path.at(-1) ?? '');
    return branch ? [] : complaint;
  });
}

/**
 * Turns the validator's errors into faults by field: a dotted path without its place, in the contract's own names, each
 * listed once.
 */
export function fieldFaults(errors: readonly unknown[], document: Document, operation: Operation): FieldError[] {
  const faults = foldChoices(complaintsOf(errors), document, operation).map((each) => ({
    field: fieldOf(each, operation),
    message: faultText(each.message, patternTexts(document)),
  }));
  const unique = new Map(faults.map((fault) => [`${fault.field}\n${fault.message}`, fault]));
  return [...unique.values()];
}
