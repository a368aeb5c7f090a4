import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';
import type { Identity } from '../accounts/identity.js';
import { ServiceError, statusOf } from '../base/errors.js';
import type { Logger } from '../base/telemetry/log.js';
import { MEBIBYTE } from '../base/values.js';
import { rememberActor } from '../http/authentication.js';
import { bodySteps } from '../http/body/body-reader.js';
import { leaveUnread } from '../http/body/unread-body.js';
import { reportError } from '../http/errors.js';
import { inTurn } from '../http/limits/in-flight.js';
import type { Limits } from '../http/limits/rate-limit.js';
import { series } from '../http/series.js';
import { noteOperation, requestFields } from '../http/server/request-log.js';
import { JSON_TYPE } from '../validation/operation.js';
import { type GraphqlDeps, INTERFACE, PATH } from './context.js';
import { endpoint } from './endpoint.js';
import { errorOf } from './errors.js';
import { browsersOnly, graphiql, refuse } from './graphiql.js';
import { requestBounds } from './limits.js';
import { executableSchema } from './schema.js';

type RequestLimits = Pick<Limits, 'publicByIp' | 'byAccount' | 'countFailure' | 'inFlight' | 'holdBody'>;

interface GraphqlOptions {
  readonly limits: RequestLimits;
  /** Maximum size of a body in bytes. The default is 1 MiB. */
  readonly maxBody?: number;
}

/** Serves interface B: `POST /graphql` (contracts/guides/behaviour.md#graphql-over-http), and GraphiQL for browsers. */
export function graphqlRouter(deps: GraphqlDeps, { limits, maxBody = MEBIBYTE }: GraphqlOptions): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const body = { presence: 'required', types: [JSON_TYPE], schema: undefined } as const;
  const schema = executableSchema(deps);
  const { read, parse } = bodySteps({ body }, maxBody, limits.holdBody, requestBounds(schema));
  const answer = inTurn(limits.inFlight, [parse], endpoint(deps, schema));
  const steps: Readonly<Record<string, RequestHandler>> = {
    POST: series([uncached, admission(deps.identity, limits), read, answer]),
    GET: series([browsersOnly, limits.publicByIp, graphiql]),
    OPTIONS: (_req, res) => void res.status(204).set('Allow', 'GET, POST, OPTIONS').end(),
  };
  router.all(PATH, (req, res, next) => {
    noteOperation(req, INTERFACE, undefined, PATH);
    return (steps[req.method] ?? refuse)(req, res, next);
  });
  router.use(errorAnswer(deps.log));
  return router;
}

/** Forbids caches, because answers hold API keys and addresses. */
const uncached: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store');
  next();
};

/**
 * Counts the request against the account's budget, which REST shares. Without valid credentials it counts for the IP
 * address.
 */
function admission(identity: Identity, limits: RequestLimits): RequestHandler {
  return async (req, res, next) => {
    const { authorization } = req.headers;
    if (authorization === undefined) return limits.publicByIp(req, res, next);
    try {
      rememberActor(req, await identity.authenticateApiKey(authorization));
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'UNAUTHENTICATED') await limits.countFailure(req, res);
      throw error;
    }
    return limits.byAccount(req, res, next);
  };
}

/** Answers failures outside of GraphQL in the form that GraphQL clients read. */
function errorAnswer(log: Logger): ErrorRequestHandler {
  return (thrown: unknown, req, res, _next) => {
    const error = reportError(thrown, log, requestFields(req));
    if (res.headersSent) return void res.destroy();
    leaveUnread(req, res);
    res.removeHeader('ETag');
    res.status(statusOf(error.code)).set(error.headers);
    res.json({ errors: [errorOf(error)] });
  };
}
