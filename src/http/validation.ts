import express, { type Request, type RequestHandler, type Response } from 'express';
import { middleware } from 'express-openapi-validator';
import { type FieldError, ServiceError } from '../base/errors.js';
import { bodyValidator } from './body-validator.js';
import { computedOnce, type Document, isFields } from './document.js';
import { errorsOf, fieldFaults } from './field-faults.js';
import { formats } from './formats.js';
import type { Operation } from './operation.js';
import { formFaults, readQuery } from './query.js';
import { settle } from './series.js';

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
  const found: unknown = Reflect.get(req, 'openapi');
  if (!isFields(found)) throw new Error(`The validator does not know ${operation.id}.`);
  return found;
}

/** Faults of path, query and headers: what `before` names is not named again. Throws what is no fault of the request. */
function parameterFaults(error: unknown, before: readonly FieldError[], document: Document, operation: Operation) {
  if (error === undefined) return before;
  const errors = errorsOf(error);
  if (!errors) throw error;
  const reported = new Set(before.map(({ field }) => field));
  const others = fieldFaults(errors, document, operation).filter(({ field }) => !reported.has(field));
  return [...before, ...others];
}

const REFUSAL = 'The request is not valid.';
const faultless = { faults: [], isPartial: false };

const queryText = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

/**
 * Makes the validating step of an operation. It leaves `req.params` and `req.query` with the types and defaults of the
 * contract, and throws `VALIDATION_ERROR` with every fault of path, query, headers and body at once.
 */
export const contractValidator = computedOnce((document: Document): ((operation: Operation) => RequestHandler) => {
  const steps = stepsOf(document);
  const check = steps.get('requestMiddleware');
  if (!check) throw new Error('The validator does not check requests.');
  const checksOfBodies = bodyValidator(document);
  const stepFor = (operation: Operation): RequestHandler => {
    const matching = matchOnce(steps, operation);
    const checkBody = checksOfBodies(operation);
    // Reported by the first request; unhandled until then it would end the process.
    matching.catch(() => undefined);
    return async (req, res, next) => {
      const { values, faults } = readQuery(queryText(req.originalUrl), operation.queryNames);
      const before = [...faults, ...formFaults(req, values, operation)];
      Object.defineProperty(req, 'query', { value: values, writable: true, configurable: true, enumerable: true });
      Object.assign(req, { openapi: { ...(await matching), pathParams: req.params } });
      const error: unknown = await settle(check, req, res).catch((reason: unknown) => reason);
      const ofParameters = parameterFaults(error, before, document, operation);
      const ofBody = req.body === undefined ? faultless : checkBody(req.body);
      const details = [...ofParameters, ...ofBody.faults];
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
