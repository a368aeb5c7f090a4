import type { components as Operator } from '../../../generated/operator.js';
import { secretFields } from '../../../generated/redact.js';
import type { components as Rest } from '../../../generated/rest.js';
import { type Fields, fieldsOf, isFields } from '../../base/values.js';
import { resolve } from '../../validation/document.js';
import { documents, inputOf } from '../contract.js';
import type { QueryOf } from '../remote/client.js';

/**
 * A JSON Schema 2020-12 without references, so that every agent host can read it. `T` is the type that it describes.
 */
export type Described<T> = Fields & { readonly '~describes'?: T };

type RestSchemas = Rest['schemas'];
type OperatorSchemas = Operator['schemas'];

export const rest = <Name extends keyof RestSchemas & string>(name: Name): Described<RestSchemas[Name]> =>
  toJsonSchema(documents.rest, { $ref: `#/components/schemas/${name}` });

export const operator = <Name extends keyof OperatorSchemas & string>(name: Name): Described<OperatorSchemas[Name]> =>
  toJsonSchema(documents.operator, { $ref: `#/components/schemas/${name}` });

/** A parameter of D's contract. That contract also has the parameters of A that are needed here. */
export function parameter<T>(name: keyof Operator['parameters'] & string): Described<T> {
  const { description, schema } = documents.operator.components.parameters[name];
  return { description, ...toJsonSchema(documents.operator, schema) };
}

/** The query of an operation of A. The operation has no other input. */
export const queryOf = <Id extends 'listOrders' | 'getCoverage'>(id: Id): Described<QueryOf<Id>> => {
  const properties = inputOf(id).map(({ name, description, schema }) => {
    return [name, { description, ...toJsonSchema(documents.rest, schema) }];
  });
  return { type: 'object', additionalProperties: false, properties: Object.fromEntries(properties) };
};

type DescribedBy<Schemas> = { [Name in keyof Schemas]: Schemas[Name] extends Described<infer T> ? T : never };
type Properties = Readonly<Record<string, Described<unknown>>>;

export const objectOf = <Required extends Properties, Optional extends Properties = Record<never, never>>(
  required: Required,
  optional?: Optional,
): Described<DescribedBy<Required> & Partial<DescribedBy<Optional>>> => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(required),
  properties: { ...required, ...optional },
});

export const listOf = <T>(items: Described<T>): Described<T[]> => ({ type: 'array', items });

/** Adds required properties to the schema of an object. */
export function extended<T, More extends Properties>(
  schema: Described<T>,
  more: More,
): Described<T & DescribedBy<More>> {
  const own: Fields = schema;
  const required = Array.isArray(own['required']) ? own['required'] : [];
  const properties = { ...more, ...fieldsOf(own['properties']) };
  return { ...own, required: [...Object.keys(more), ...required], properties };
}

/** Formats that JSON Schema does not have. The service checks them. */
const OWN_FORMATS = new Set(['text', 'password']);

/** Converts a schema of OpenAPI 3.0 to JSON Schema. */
function toJsonSchema(document: object, node: unknown): Fields {
  const schema = resolve(document, node);
  if (!isFields(schema)) throw new Error('The contract refers to a schema that it does not have.');
  const inner = (each: unknown) => toJsonSchema(document, each);
  const { nullable, title, example, exclusiveMinimum, minimum, 'x-extensible-enum': words, ...others } = schema;
  const keywords = Object.entries(others).flatMap(([keyword, value]): [string, unknown][] => {
    if (keyword.startsWith('x-') || (keyword === 'format' && OWN_FORMATS.has(String(value)))) return [];
    if (keyword === 'type' && nullable === true) return [[keyword, [value, 'null']]];
    if (keyword === 'items' || (keyword === 'additionalProperties' && isFields(value)))
      return [[keyword, inner(value)]];
    if (/^(all|any|one)Of$/.test(keyword) && Array.isArray(value)) return [[keyword, value.map(inner)]];
    if (keyword !== 'properties') return [[keyword, value]];
    return [[keyword, Object.fromEntries(Object.entries(fieldsOf(value)).map(([name, of]) => [name, inner(of)]))]];
  });
  const least = exclusiveMinimum === true ? 'exclusiveMinimum' : 'minimum';
  const description = `${schema['description'] ?? ''} One of ${String(words)}; others may be added.`.trim();
  return {
    ...Object.fromEntries(keywords),
    ...(minimum !== undefined && { [least]: minimum }),
    ...(example !== undefined && { examples: [example] }),
    ...(words !== undefined && { description }),
  };
}

/** Fields that the contracts mark as secret. They include the PIN, which only the recipient may tell. */
const SECRETS: ReadonlySet<string> = new Set(secretFields);

/** Fields that are left out unless the agent asks for them. */
const PERSONAL = new Set(['phone']);

/**
 * The schema of an answer without secrets, and with optional phones. Examples are dropped, since only requests need
 * them.
 */
export function shownSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shownSchema);
  if (!isFields(schema)) return schema;
  const { examples, ...others } = schema;
  const keywords = Object.entries(others).map(([keyword, value]) => {
    if (keyword === 'properties' && isFields(value)) return [keyword, shownProperties(value)];
    if (keyword !== 'required' || !Array.isArray(value)) return [keyword, shownSchema(value)];
    return [keyword, value.filter((name) => !SECRETS.has(name) && !PERSONAL.has(name))];
  });
  return Object.fromEntries(keywords);
}

function shownProperties(properties: Fields): Fields {
  const entries = Object.entries(properties).filter(([name]) => !SECRETS.has(name));
  return Object.fromEntries(entries.map(([name, schema]) => [name, shownSchema(schema)]));
}

/** Copies an answer without secrets, and without phones unless the agent asked for them. */
export function shown(answer: unknown, phones: boolean): unknown {
  if (Array.isArray(answer)) return answer.map((each) => shown(each, phones));
  if (!isFields(answer)) return answer;
  const fields = Object.entries(answer).filter(([name]) => !SECRETS.has(name) && (phones || !PERSONAL.has(name)));
  return Object.fromEntries(fields.map(([name, value]) => [name, shown(value, phones)]));
}
