import type { Request, RequestHandler } from 'express';
import { createRequestAjv } from 'express-openapi-validator/dist/framework/ajv/index.js';
import type { Document } from '../../base/contracts/document.js';
import { ServiceError } from '../../base/errors.js';
import { computedOnce } from '../../base/values.js';
import type { Operation } from '../operation.js';
import { addFieldErrors, ajvOptions, bodyValidator, described, errorsBy } from './body-validator.js';
import { formErrors, readQuery } from './query.js';

const REFUSAL = 'The request is not valid.';
const noErrors = { fieldErrors: [], isPartial: false };

/** Express reads the query again whenever it is asked for. */
const setQuery = (req: Request, value: object): void =>
  void Object.defineProperty(req, 'query', { value, writable: true, configurable: true, enumerable: true });

const queryText = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

/**
 * Makes the validating step of an operation. It gives `req.params` and `req.query` the types and defaults of the
 * contract, and throws `VALIDATION_ERROR` with every error of path, query, headers and body at once.
 */
export const contractValidator = computedOnce((document: Document): ((operation: Operation) => RequestHandler) => {
  const bodyChecks = bodyValidator(document);
  const parameterChecks = parameterValidator(document);
  return computedOnce((operation: Operation): RequestHandler => {
    const checkBody = bodyChecks(operation);
    const checkParameters = parameterChecks(operation);
    return (req, _res, next) => {
      const { values, fieldErrors } = readQuery(queryText(req.originalUrl), operation.queryNames);
      const formFaults = [...fieldErrors, ...formErrors(req, values, operation)];
      const parameters = parametersOf(req, values, operation);
      const ofParameters = addFieldErrors(formFaults, described(checkParameters(parameters)), document, operation);
      setQuery(req, parameters.query);
      req.params = parameters.params;
      const isJson = operation.body.schema !== undefined && req.body !== undefined;
      const ofBody = isJson ? checkBody(req.body) : noErrors;
      const details = [...ofParameters, ...ofBody.fieldErrors];
      if (details.length > 0)
        throw new ServiceError('VALIDATION_ERROR', REFUSAL, { details, isPartial: ofBody.isPartial });
      next();
    };
  });
});

const places = [
  ['query', 'query'],
  ['header', 'headers'],
  ['path', 'params'],
] as const;

/** Makes the checks of an operation's parameters: texts, which become values with the types of the contract. */
function parameterValidator(document: Document) {
  const ajv = createRequestAjv(document, { ...ajvOptions, coerceTypes: true });
  return (operation: Operation) => errorsBy(ajv, { components: document.components, properties: schemasOf(operation) });
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

function parametersOf({ params, headers }: Request, query: Record<string, string>, { headerNames }: Operation) {
  const named = [...headerNames.keys()].filter((name) => headers[name] !== undefined);
  return { query, params: { ...params }, headers: Object.fromEntries(named.map((name) => [name, headers[name]])) };
}
