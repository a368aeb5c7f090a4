import type { ErrorObject } from 'ajv';
import { patternTexts } from '../document.js';
import { fieldMessage } from './field-errors.js';

/** A value may have thousands of unknown fields. */
const MOST_FAULTS = 10;

/** What a value has that the contract does not allow, each with its field's dotted path, in the words that the service uses. */
export function wrongFields(errors: readonly ErrorObject[] | null | undefined, document: object): string[] {
  const faults = (errors ?? []).slice(0, MOST_FAULTS).map(({ instancePath, message = '', params }) => {
    const field = instancePath.slice(1).replaceAll('/', '.');
    return [field, fieldMessage(message, patternTexts(document)), missingOrUnknown(params)].filter(Boolean).join(' ');
  });
  // A format and its pattern say the same.
  return [...new Set(faults)];
}

/** The field that an error of its object is about. */
function missingOrUnknown(params: object): string {
  const [, field] = Object.entries(params).find(([name]) => /^(additional|missing)Property$/.test(name)) ?? [];
  return field === undefined ? '' : `(${String(field)})`;
}
