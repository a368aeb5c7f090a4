import { type Document, patternTexts } from '../../base/contracts/document.js';
import { fieldMessage } from '../../base/contracts/field-errors.js';
import type { FieldError } from '../../base/errors.js';
import { isFields } from '../../base/values.js';
import type { Operation } from '../operation.js';

/** The field of a path such as `/body/items/0/quantity`, `/query/page`, `/params/id` or `/headers/if-match`. */
function fieldOf(path: string, { headerNames }: Operation): string {
  const steps = path.split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const [, place = '', ...rest] = steps;
  const name = rest.join('.');
  return place === 'headers' ? (headerNames.get(name) ?? name) : name || place;
}

/** Adds the validator's errors to those `reported` before, each once; a field that has been reported gets no other. */
export function addFieldErrors(
  reported: readonly FieldError[],
  errors: readonly unknown[],
  document: Document,
  operation: Operation,
): FieldError[] {
  const reportedFields = new Set(reported.map(({ field }) => field));
  const others = errors
    .filter(isFields)
    .map(({ path, message }) => ({
      field: fieldOf(String(path), operation),
      message: fieldMessage(String(message), patternTexts(document)),
    }))
    .filter(({ field }) => !reportedFields.has(field));
  const unique = new Map(others.map((each) => [`${each.field}\n${each.message}`, each]));
  return [...reported, ...unique.values()];
}
