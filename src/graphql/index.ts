import { createHash } from 'node:crypto';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Router } from 'express';
import type { Identity } from '../accounts/identity.js';
import { ServiceError, statusOf } from '../base/errors.js';
import type { Logger } from '../base/log.js';
import { rememberActor } from '../http/authentication.js';
import { reportError } from '../http/errors.js';
import { inTurn } from '../http/limits/in-flight.js';
import type { Limits } from '../http/limits/rate-limit.js';
import { JSON_TYPE } from '../http/operation.js';
import { pageHeaders, type StaticFile, staticFile } from '../http/reply.js';
import { series } from '../http/series.js';
import { noteOperation, requestFields } from '../http/server/request-log.js';
import { bodySteps } from '../http/validation/body-reader.js';
import { type GraphqlDeps, INTERFACE } from './context.js';
import { endpoint } from './endpoint.js';
import { errorOf } from './errors.js';

type RequestLimits = Pick<Limits, 'publicByIp' | 'byAccount' | 'countFailure' | 'inFlight' | 'holdBody'>;

interface GraphqlOptions {
  readonly limits: RequestLimits;
  /** Largest body in bytes; 1 MiB when left out. */
  readonly maxBody?: number;
}

const MEBIBYTE = 1_048_576;

/**
 * Interface B: `POST /graphql`, as contracts/schema.graphql and contracts/guides/behaviour.md#graphql-over-http describe it,
 * and GraphiQL for browsers.
 */
export function graphqlRouter(deps: GraphqlDeps, { limits, maxBody = MEBIBYTE }: GraphqlOptions): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const body = { presence: 'required', types: [JSON_TYPE], schema: undefined } as const;
  const { read, parse } = bodySteps({ body }, maxBody, limits.holdBody);
  const steps: Readonly<Record<string, RequestHandler>> = {
    POST: series([uncached, admission(deps.identity, limits), read, inTurn(limits.inFlight, [parse], endpoint(deps))]),
    GET: series([browsersOnly, limits.publicByIp, staticFile(graphiql)]),
    OPTIONS: (_req, res) => void res.status(204).set('Allow', 'GET, POST, OPTIONS').end(),
  };
  router.all('/graphql', (req, res, next) => {
    noteOperation(req, INTERFACE);
    return (steps[req.method] ?? refuse)(req, res, next);
  });
  router.use(errorAnswer(deps.log));
  return router;
}

/** Answers hold API keys and addresses. */
const uncached: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store');
  next();
};

/**
 * Finds out who sends the request, and counts it against a budget: the account's, which REST shares, or without credentials the
 * address's. Wrong credentials throw `UNAUTHENTICATED` and count against the address too.
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

const refuse: RequestHandler = ({ method }, _res, next) =>
  next(
    new ServiceError('METHOD_NOT_ALLOWED', `${method} is not allowed here; send operations by POST.`, {
      headers: { Allow: 'POST, OPTIONS' },
    }),
  );

const acceptsHtml = (req: Request): boolean => /\btext\/html\b/i.test(req.get('accept') ?? '');

/** GET serves a page for browsers and nothing else: operations are not read from the URL. */
const browsersOnly: RequestHandler = (req, res, next) => {
  if (!acceptsHtml(req)) return refuse(req, res, next);
  res.vary('Accept');
  next();
};

// No header is preset: with a made-up key the page could not even read the schema.
const GREETING = `# Log in for the API key, then put this under Headers:
# { "Authorization": "ApiKey <EMAIL>:<API_KEY>" }
mutation {
  login(input: { email: "", password: "" }) {
    user {
      apiKey
    }
  }
}
`;

const VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1" />';

/** GraphiQL as one page that loads nothing from elsewhere; its 9 MB are loaded at its first request. */
async function graphiql(): Promise<StaticFile> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const html = renderGraphiQL({ title: 'Malote GraphQL', endpoint: '/graphql', defaultQuery: GREETING });
  const body = Buffer.from(html.trimStart().replace('<head>', `<head>${VIEWPORT}`));
  return { type: 'text/html; charset=utf-8', body, headers: pageHeaders(scriptHashes(body.toString())) };
}

/** Names the page's inline scripts by their hashes, so that no other runs. */
function scriptHashes(html: string): string {
  const scripts = [...html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, code = '']) => code);
  return scripts.map((code) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`).join(' ');
}

/** Failures outside of GraphQL, in the form that GraphQL clients read. */
function errorAnswer(log: Logger): ErrorRequestHandler {
  return (thrown: unknown, req, res, _next) => {
    const error = reportError(thrown, log, requestFields(req));
    if (res.headersSent) return void res.destroy();
    res.removeHeader('ETag');
    res
      .status(statusOf(error.code))
      .set(error.headers)
      .json({ errors: [errorOf(error)] });
  };
}
