import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Router } from 'express';
import { ServiceError, statusOf } from '../base/errors.js';
import type { Logger } from '../base/log.js';
import { reportError } from '../http/errors.js';
import { series } from '../http/series.js';
import { requestIdOf } from '../http/server/request-log.js';
import { bodyReader } from '../http/validation/body-reader.js';
import { admission, type DoorLimits } from './admission.js';
import type { GraphqlDeps } from './context.js';
import { endpoint } from './endpoint.js';
import { errorOf } from './errors.js';
import { explorer } from './explorer.js';

export type { GraphqlDeps } from './context.js';

export interface GraphqlOptions {
  readonly limits: DoorLimits;
  /** Largest body in bytes; 1 MiB when left out. */
  readonly maxBody?: number;
}

const MEBIBYTE = 1_048_576;

/** Interface B: `POST /graphql`, as contracts/schema.graphql and contracts/guides/behaviour.md#graphql-over-http describe it, and GraphiQL for browsers. */
export function graphqlRouter(deps: GraphqlDeps, { limits, maxBody = MEBIBYTE }: GraphqlOptions): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const steps: Readonly<Record<string, RequestHandler>> = {
    POST: series([
      uncached,
      admission(deps.identity, limits),
      bodyReader({ body: { presence: 'required', schema: undefined } }, maxBody),
      endpoint(deps),
    ]),
    GET: series([browsersOnly, limits.publicByIp, explorer()]),
    OPTIONS: (_req, res) => void res.status(204).set('Allow', 'GET, POST, OPTIONS').end(),
  };
  router.all('/graphql', (req, res, next) => (steps[req.method] ?? refuse)(req, res, next));
  router.use(errorAnswer(deps.log));
  return router;
}

/** Answers hold API keys and addresses. */
const uncached: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store');
  next();
};

const refuse: RequestHandler = ({ method }, _res, next) =>
  next(
    new ServiceError('METHOD_NOT_ALLOWED', `${method} is not allowed here; send operations by POST.`, {
      headers: { Allow: 'POST, OPTIONS' },
    }),
  );

const asksForPage = (req: Request): boolean => /\btext\/html\b/i.test(req.get('accept') ?? '');

/** A page for browsers is all that GET is for: operations are not read from the URL. */
const browsersOnly: RequestHandler = (req, res, next) => (asksForPage(req) ? next() : refuse(req, res, next));

/** Failures outside of GraphQL, in the form that GraphQL clients read. */
function errorAnswer(log: Logger): ErrorRequestHandler {
  return (thrown: unknown, req, res, _next) => {
    const error = reportError(thrown, log, requestIdOf(req));
    if (res.headersSent) return void res.destroy();
    res.removeHeader('ETag');
    res
      .status(statusOf(error.code))
      .set(error.headers)
      .json({ errors: [errorOf(error)] });
  };
}
