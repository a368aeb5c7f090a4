import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { v5 } from 'uuid';
import type { components } from '../../../generated/operator.js';
import document from '../../../generated/operator.openapi.json' with { type: 'json' };
import { patternTexts } from '../../http/document.js';
import { fieldMessage, formats } from '../../http/validation/field-errors.js';

export type MovementInput = components['schemas']['MovementInput'];

export type CheckedMovement = { movement: MovementInput } | { fault: string };

// Any UUID will do, as long as it stays: ids of movements without one follow from it.
const NAMESPACE = '0d7a4f0e-5a5c-4c39-9d4b-7d0c1f5b8a61';

const ajv = new Ajv({ strict: false, validateSchema: false, allErrors: true, formats: { ...formats } });
addFormats.default(ajv);
ajv.addSchema(document, 'operator');
const isMovement = ajv.compile<MovementInput>({ $ref: 'operator#/components/schemas/MovementInput' });

/**
 * Holds a movement against the contract before it is sent, so that one wrong line does not refuse its whole batch. One
 * without `id` gets one that follows from its content: read again, the same file records nothing twice.
 */
export function checkMovement(value: unknown): CheckedMovement {
  if (typeof value !== 'object' || value === null) return { fault: 'is not a movement' };
  const movement: unknown = 'id' in value ? value : { id: v5(JSON.stringify(value), NAMESPACE), ...value };
  if (isMovement(movement)) return { movement };
  const faults = (isMovement.errors ?? []).map(({ instancePath, message = '', params }) => {
    const field = instancePath.slice(1).replaceAll('/', '.');
    return [field, fieldMessage(message, patternTexts(document)), missingOrUnknown(params)].filter(Boolean).join(' ');
  });
  return { fault: faults.join('; ') };
}

/** The field that a complaint about its object means. */
function missingOrUnknown(params: object): string {
  const [, field] = Object.entries(params).find(([name]) => /^(additional|missing)Property$/.test(name)) ?? [];
  return field === undefined ? '' : `(${String(field)})`;
}
