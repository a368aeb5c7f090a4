import type { Request } from 'express';
import { createRequestAjv } from 'express-openapi-validator/dist/framework/ajv/index.js';
import { ajvErrorsToValidatorError, augmentAjvErrors } from 'express-openapi-validator/dist/middlewares/util.js';
import type { Document } from '../../base/contracts/document.js';
import { formats } from '../../base/contracts/field-errors.js';
import type { Operation } from '../operation.js';

/** The parameters of a request: texts, which become values with the types and defaults of the contract. */
interface Parameters {
  readonly query: Record<string, unknown>;
  readonly params: Record<string, unknown>;
  readonly headers: Record<string, unknown>;
}

const places = [
  ['query', 'query'],
  ['header', 'headers'],
  ['path', 'params'],
] as const;

const judgement = { strict: false, strictNumbers: true, allErrors: true, useDefaults: true, validateSchema: false };
export const ajvOptions = { ...judgement, ajvFormats: { mode: 'full' as const }, formats };

/** Makes the checks of an operation's parameters: they list every error, in the validator's words. */
export function parameterValidator(document: Document) {
  const ajv = createRequestAjv(document, { ...ajvOptions, coerceTypes: true });
  return (operation: Operation): ((parameters: Parameters) => readonly unknown[]) => {
    const schema = { components: document.components, properties: schemasOf(operation) };
    let compiled: ReturnType<typeof ajv.compile> | undefined;
    return (parameters) => {
      compiled ??= ajv.compile(schema);
      if (compiled(parameters)) return [];
      return ajvErrorsToValidatorError(400, augmentAjvErrors(compiled.errors ?? [])).errors;
    };
  };
}

function schemasOf({ parameters }: Operation): Record<string, object> {
  const schemas = places.map(([place, key]): [string, object] => {
    const here = parameters
      .filter((parameter) => parameter.place === place)
      .map((each) => (place === 'header' ? { ...each, name: each.name.toLowerCase() } : each));
    const properties = Object.fromEntries(here.map(({ name, schema }) => [name, schema]));
    const required = here.filter((parameter) => parameter.required).map(({ name }) => name);
    return [key, { type: 'object', properties, ...(required.length > 0 ? { required } : {}) }];
  });
  return Object.fromEntries(schemas);
}

export function parametersOf({ params, headers }: Request, query: Record<string, string>, { headerNames }: Operation) {
  const named = [...headerNames.keys()].filter((name) => headers[name] !== undefined);
  return { query, params: { ...params }, headers: Object.fromEntries(named.map((name) => [name, headers[name]])) };
}
