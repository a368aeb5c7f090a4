import type { Request } from 'express';
import { createRequestAjv } from 'express-openapi-validator/dist/framework/ajv/index.js';
import { type Document, resolve } from '../../base/contracts/document.js';
import { formats } from '../../base/contracts/field-errors.js';
import { isFields } from '../../base/values.js';
import type { Operation } from '../operation.js';

/** Parameters with the types and defaults of the contract. */
interface Parameters {
  readonly query: Record<string, unknown>;
  readonly params: Record<string, unknown>;
}

/** The parameters, given a request and the values of its query; undefined when they do not all fit the contract. */
type ParameterCheck = (req: Request, query: Readonly<Record<string, string>>) => Parameters | undefined;

const places: ReadonlyMap<string, string> = new Map([
  ['query', 'query'],
  ['path', 'params'],
  ['header', 'headers'],
]);

const SIMPLE_TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean']);

/** Whether one text stands for a value, whatever style the contract gives it. */
function isSimple(document: Document, { place, schema }: Operation['parameters'][number]): boolean {
  const resolved = resolve(document, schema);
  return places.has(place) && isFields(resolved) && SIMPLE_TYPES.has(resolved['type']);
}

/**
 * Makes the check that lets requests pass at the cost of one compiled function: what is wrong with others is the validator's to
 * say, which reads the contract again for each request. Undefined for an operation with parameters that are lists or objects.
 */
export function parameterChecks(document: Document): (operation: Operation) => ParameterCheck | undefined {
  const options = { strict: false, strictNumbers: true, coerceTypes: true, useDefaults: true, validateSchema: false };
  const ajv = createRequestAjv(document, { ...options, ajvFormats: { mode: 'full' }, formats });
  return (operation) => {
    if (!operation.parameters.every((parameter) => isSimple(document, parameter))) return undefined;
    const schema = { components: document.components, properties: schemasOf(operation) };
    let fits: ReturnType<typeof ajv.compile> | undefined;
    const headers = [...operation.headerNames.keys()];
    return (req, query) => {
      const values = { query: { ...query }, params: { ...req.params }, headers: headersOf(req, headers) };
      fits ??= ajv.compile(schema);
      return fits(values) ? values : undefined;
    };
  };
}

function schemasOf({ parameters }: Operation): Record<string, object> {
  const schemas = [...places].map(([place, key]): [string, object] => {
    const here = parameters
      .filter((parameter) => parameter.place === place)
      .map((each) => (place === 'header' ? { ...each, name: each.name.toLowerCase() } : each));
    const properties = Object.fromEntries(here.map(({ name, schema }) => [name, schema]));
    const required = here.filter((parameter) => parameter.required).map(({ name }) => name);
    return [key, { type: 'object', properties, ...(required.length > 0 ? { required } : {}) }];
  });
  return Object.fromEntries(schemas);
}

function headersOf({ headers }: Request, names: readonly string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name of names) if (headers[name] !== undefined) values[name] = headers[name];
  return values;
}
