import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { ServiceError } from '../base/errors.js';
import { answerCheck } from './answer-check.js';
import { type Authenticate, bearer, demandPermission } from './authentication.js';
import { bodyReader } from './body.js';
import { bodyBounds } from './bounds.js';
import { type Document, readDocument } from './document.js';
import type { Handlers, RawHandler } from './handler.js';
import { invocation, type Surroundings } from './invocation.js';
import { type Operation, readOperation } from './operation.js';
import { type PathMatch, pathMatcher } from './path-matcher.js';
import type { Limits } from './rate-limit.js';
import type { RouteTable } from './routes.js';
import { series } from './series.js';
import { sunsetHeaders } from './sunset.js';
import { contractValidator } from './validation.js';

/** A door's budgets: `byAccount` is the account's or the operator's. */
export type DoorLimits = Pick<Limits, 'publicByIp' | 'byAccount' | 'countFailure'>;

export interface RouterOptions extends Surroundings {
  /** The contract, bundled: an OpenAPI 3.0 description without references to other files. */
  readonly spec: object;
  readonly authenticate: Authenticate;
  readonly limits: DoorLimits;
  /** Largest body in bytes where the contract does not say; 1 MiB when left out. */
  readonly maxBody?: number;
  /** Answers are held against the contract too, and become a 500 when they breach it: for tests. */
  readonly validateResponses?: boolean;
  /** Where deprecations are explained; `/docs` when left out. */
  readonly docs?: string;
}

const MEBIBYTE = 1_048_576;

const announce =
  (headers: Readonly<Record<string, string>>): RequestHandler =>
  (_req, res, next) => {
    res.set(headers);
    next();
  };

function acceptable({ produces }: Operation): RequestHandler {
  return (req, _res, next) => {
    const served = produces.length === 0 || req.accepts([...produces]) !== false;
    next(
      served ? undefined : new ServiceError('NOT_ACCEPTABLE', `This operation answers ${produces.join(', ')} only.`),
    );
  };
}

type Pipeline = (operation: Operation, handler: RawHandler) => RequestHandler;

/** The order matters: nobody's body is read before he is known and within his budget. */
function pipelineOf(document: Document, options: RouterOptions): Pipeline {
  const { authenticate, limits, maxBody = MEBIBYTE, docs = '/docs' } = options;
  const validate = contractValidator(document);
  const checkAnswer = options.validateResponses ? answerCheck(document) : undefined;
  const admit: Record<'bearer' | 'none', RequestHandler[]> = {
    none: [limits.publicByIp],
    bearer: [bearer(authenticate, limits.countFailure), limits.byAccount],
  };
  return (operation, handler) =>
    series([
      announce({
        ...sunsetHeaders(operation.route, docs),
        ...(operation.route.secret ? { 'Cache-Control': 'no-store' } : {}),
      }),
      ...admit[operation.route.security],
      demandPermission(operation.route),
      acceptable(operation),
      bodyReader(operation, operation.route.maxBody ?? maxBody, bodyBounds(document, operation.body.schema)),
      validate(operation),
      ...(checkAnswer ? [checkAnswer(operation)] : []),
      invocation(operation, handler, options),
    ]);
}

function allowed({ methods }: PathMatch<unknown>): string {
  const names = [...methods.keys()].map((method) => method.toUpperCase());
  return [...names, ...(methods.has('get') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}

function dispatch(found: PathMatch<RequestHandler>, req: Request, res: Response): RequestHandler {
  const run = found.methods.get(req.method === 'HEAD' ? 'get' : req.method.toLowerCase());
  if (run) return run;
  const allow = allowed(found);
  if (req.method !== 'OPTIONS') {
    throw new ServiceError('METHOD_NOT_ALLOWED', `${req.method} is not allowed here, only ${allow}.`, {
      headers: { Allow: allow },
    });
  }
  return () => void res.status(204).set('Allow', allow).end();
}

/**
 * Serves every operation of a contract that is not `x-static` through its handler: rate limit, authentication, role and
 * scope, body, validation and audit follow from the contract, in that order. Paths that the contract does not name are
 * passed on. Errors go to the application's `faultHandler`. Throws when contract, route table and handlers disagree.
 */
export function contractRouter<Ops extends object, Routes extends RouteTable>(
  options: RouterOptions & {
    readonly routes: Routes;
    readonly handlers: Handlers<Ops, Routes> & Readonly<Record<string, RawHandler>>;
  },
): Router {
  const document = readDocument(options.spec);
  const handlers: Readonly<Record<string, RawHandler>> = options.handlers;
  const pipeline = pipelineOf(document, options);
  const entries = Object.entries<RouteTable[string]>(options.routes).filter(([, route]) => !route.static);
  const match = pathMatcher(
    entries.map(([id, route]) => {
      const handler = handlers[id];
      if (!handler) throw new Error(`The operation ${id} has no handler.`);
      return { ...route, target: pipeline(readOperation(document, id, route), handler) };
    }),
  );
  const router = express.Router();
  router.use((req, res, next) => {
    const found = match(req.path);
    if (!found) return next();
    req.params = found.params;
    return dispatch(found, req, res)(req, res, next);
  });
  return router;
}
