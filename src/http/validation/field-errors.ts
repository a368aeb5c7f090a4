import { type Document, patternTexts } from '../../base/contracts/document.js';
import { fieldMessage } from '../../base/contracts/field-errors.js';
import type { FieldError } from '../../base/errors.js';
import { isFields } from '../../base/values.js';
import type { Operation } from '../operation.js';

/**
 * An error of the validator: `path` is `/body/items/0/quantity`, `/query/page`, `/params/id` or `/headers/if-match`.
 */
interface Complaint {
  readonly path: readonly string[];
  readonly message: string;
}

function complaintsOf(errors: readonly unknown[]): Complaint[] {
  return errors.filter(isFields).map(({ path, message }) => ({
    path: String(path)
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
    message: String(message),
  }));
}

function fieldOf({ path: [place, ...rest] }: Complaint, operation: Operation): string {
  const name = rest.join('.');
  if (place === 'headers') return operation.headerNames.get(name) ?? name;
  return name === '' ? (place ?? '') : name;
}

/**
 * Adds the validator's errors to those `reported` before: by a dotted path in the contract's own names, each once. A
 * field that has been reported is not reported again.
 */
export function addFieldErrors(
  reported: readonly FieldError[],
  errors: readonly unknown[],
  document: Document,
  operation: Operation,
): FieldError[] {
  const reportedFields = new Set(reported.map(({ field }) => field));
  const others = complaintsOf(errors)
    .map((complaint) => ({
      field: fieldOf(complaint, operation),
      message: fieldMessage(complaint.message, patternTexts(document)),
    }))
    .filter(({ field }) => !reportedFields.has(field));
  const unique = new Map(others.map((each) => [`${each.field}\n${each.message}`, each]));
  return [...reported, ...unique.values()];
}
