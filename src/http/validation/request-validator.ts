import express, { type Request, type RequestHandler, type Response } from 'express';
import { middleware } from 'express-openapi-validator';
import { computedOnce, type Document } from '../../base/contracts/document.js';
import { formats } from '../../base/contracts/field-errors.js';
import { type FieldError, ServiceError } from '../../base/errors.js';
import { isFields } from '../../base/values.js';
import type { Operation } from '../operation.js';
import { settle } from '../series.js';
import { bodyValidator } from './body-validator.js';
import { addFieldErrors } from './field-errors.js';
import { parameterChecks } from './parameter-check.js';
import { formErrors, readQuery } from './query.js';

/**
 * Validation of requests by express-openapi-validator, step by step: it would compile a
 * pattern for every route on every request to find out what the route table already knows, so its matching is done
 * once per operation.
 */

type Steps = ReadonlyMap<string, RequestHandler>;

/** A copy without bodies of requests, which are checked apart, at a bounded cost. */
function withoutBodies(document: Document): Document {
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(Object(item)).map(([method, operation]) => {
        if (!isFields(operation)) return [method, operation];
        const { requestBody: _, ...rest } = operation;
        return [method, rest];
      }),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) };
}

function stepsOf(document: Document): Steps {
  const steps = middleware({
    apiSpec: withoutBodies(document),
    validateApiSpec: false,
    validateSecurity: false,
    validateRequests: { allErrors: true },
    validateResponses: false,
    ajvFormats: { mode: 'full' },
    formats: { ...formats },
    fileUploader: false,
  });
  return new Map(steps.map((step) => [step.name, step]));
}

/** A request that was never sent, for the validator to match. */
function sampleRequest({ route }: Operation): Request {
  const path = route.path.replace(/\{[^}]+\}/g, 'x');
  const app = { enabled: () => true, param: () => undefined };
  const sample = { method: route.method.toUpperCase(), url: path, originalUrl: path, baseUrl: '', headers: {}, app };
  return Object.assign(Object.create(express.request), sample);
}

async function matchOnce(steps: Steps, operation: Operation): Promise<object> {
  const req = sampleRequest(operation);
  const res: Response = Object.create(express.response);
  for (const name of ['pathParamsMiddleware', 'metadataMiddleware']) {
    const step = steps.get(name);
    if (!step) throw new Error(`The validator has no step ${name}.`);
    await settle(step, req, res);
  }
  const matching: unknown = Reflect.get(req, 'openapi');
  if (!isFields(matching)) throw new Error(`The validator does not know ${operation.id}.`);
  return matching;
}

/** The errors that the validator's 400 carries. Throws whatever else it threw. */
function errorsIn(thrown: unknown): readonly unknown[] {
  if (isFields(thrown) && thrown['status'] === 400 && Array.isArray(thrown['errors'])) return thrown['errors'];
  throw thrown;
}

const REFUSAL = 'The request is not valid.';
const noErrors = { fieldErrors: [], isPartial: false };

/** Express reads the query again whenever it is asked for. */
const setQuery = (req: Request, value: object): void =>
  void Object.defineProperty(req, 'query', { value, writable: true, configurable: true, enumerable: true });

const queryText = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

/**
 * Makes the validating step of an operation. It leaves `req.params` and `req.query` with the types and defaults of the
 * contract, and throws `VALIDATION_ERROR` with every error of path, query, headers and body at once.
 */
export const contractValidator = computedOnce((document: Document): ((operation: Operation) => RequestHandler) => {
  const steps = stepsOf(document);
  const check = steps.get('requestMiddleware');
  if (!check) throw new Error('The validator does not check requests.');
  const checksOfBodies = bodyValidator(document);
  const checksOfParameters = parameterChecks(document);
  const stepFor = (operation: Operation): RequestHandler => {
    const matching = matchOnce(steps, operation);
    const checkBody = checksOfBodies(operation);
    const checkParameters = checksOfParameters(operation);
    // Reported by the first request; unhandled until then it would end the process.
    matching.catch(() => undefined);
    const errorsInParameters = async (req: Request, res: Response): Promise<readonly FieldError[]> => {
      const { values, fieldErrors } = readQuery(queryText(req.originalUrl), operation.queryNames);
      const before = [...fieldErrors, ...formErrors(req, values, operation)];
      const parameters = before.length === 0 ? checkParameters?.(req, values) : undefined;
      setQuery(req, parameters?.query ?? values);
      if (parameters) {
        Object.assign(req, { params: parameters.params });
        return [];
      }
      Object.assign(req, { openapi: { ...(await matching), pathParams: req.params } });
      const errors = await settle(check, req, res).then(() => undefined, errorsIn);
      return errors ? addFieldErrors(before, errors, document, operation) : before;
    };
    return async (req, res, next) => {
      const ofParameters = await errorsInParameters(req, res);
      const isJson = operation.body.schema !== undefined && req.body !== undefined;
      const ofBody = isJson ? checkBody(req.body) : noErrors;
      const details = [...ofParameters, ...ofBody.fieldErrors];
      if (details.length > 0)
        throw new ServiceError('VALIDATION_ERROR', REFUSAL, { details, isPartial: ofBody.isPartial });
      next();
    };
  };
  const stepsById = new Map<string, RequestHandler>();
  return (operation) => {
    const step = stepsById.get(operation.id) ?? stepFor(operation);
    stepsById.set(operation.id, step);
    return step;
  };
});
