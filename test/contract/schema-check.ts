import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { formats } from '../../src/validation/field-errors.js';
import { closed } from '../support/answer-check.js';
import { isNode, type Node } from './contract-files.js';

/** Converts to JSON Schema: OpenAPI 3.0 has `exclusiveMinimum: true` beside `minimum`, JSON Schema has one number. */
function toJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJsonSchema);
  if (!isNode(value)) return value;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, toJsonSchema(child)]),
  );
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof copy[exclusive] !== 'boolean') continue;
    if (copy[exclusive]) copy[exclusive] = copy[bound];
    else delete copy[exclusive];
  }
  return copy;
}

/** Finds errors of a value by the schema at a JSON pointer. Open schemas allow fields that clients must ignore. */
export function schemaCheck(document: Node, { open = false } = {}): (pointer: string, value: unknown) => string[] {
  const ajv = new Ajv({ allErrors: true, strict: false, formats: { ...formats } });
  addFormats.default(ajv, { mode: 'full' });
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format);
  const { $schema: _, $id: __, ...schema } = Object(toJsonSchema(open ? document : closed(document)));
  ajv.addSchema(schema, 'contract');
  const compiled = new Map<string, ValidateFunction>();
  return (pointer, value) => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `contract${pointer}` });
    compiled.set(pointer, validate);
    return validate(value)
      ? []
      : (validate.errors ?? []).map((error) => `${pointer} ${error.instancePath} ${error.message}`);
  };
}
