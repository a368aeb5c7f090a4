/**
 * # From a request to a handler
 *
 * ## Who takes part
 *
 * - The route table of generated/ says what an operation demands; this file turns each route into steps.
 * - The steps authenticate and count the request, check permission and media types, read and validate the body, and
 *   call the handler, in this order. No body is read for a request that its token or its budget already refuses.
 * - invocation.ts calls a handler, under an `Idempotency-Key` where the contract has one.
 *
 * ## Promises
 *
 * - A handler gets a request that the contract allows, and the actor that the contract demands.
 * - Every refusal has the interface's own form, with a code of the catalogue.
 * - Bodies, time and connections are bounded before work is done for them (limits/, body/).
 *
 * Not promised: that an answer fits the contract at run time. Types hold the handlers to it, and tests check answers.
 */
import type { Request, RequestHandler, Response } from 'express';
import { methodNotAllowed, notAcceptable } from '../base/errors.js';
import { MEBIBYTE } from '../base/values.js';
import { bodyBounds } from '../validation/bounds.js';
import { type Document, readDocument } from '../validation/document.js';
import { type Operation, type Route, type RouteTable, readOperation } from '../validation/operation.js';
import { contractValidator } from '../validation/request-validator.js';
import {
  type Authenticate,
  bearer,
  type DemandFactor,
  demandPermission,
  demandSecondFactor,
  stillValid,
} from './authentication.js';
import { bodySteps } from './body/body-reader.js';
import type { Handlers, RawHandler } from './handler.js';
import { invocation, type Surroundings } from './invocation.js';
import { inTurn } from './limits/in-flight.js';
import type { InterfaceLimits } from './limits/rate-limit.js';
import { pathIndex } from './path-index.js';
import { series } from './series.js';
import { noteOperation } from './server/request-log.js';

export interface RouterOptions extends Surroundings {
  /** The bundled contract: OpenAPI 3.0 without references to other files. */
  readonly spec: object;
  readonly authenticate: Authenticate;
  readonly demandFactor: DemandFactor;
  readonly limits: InterfaceLimits;
  /** Maximum size of a body in bytes, if the contract sets none. The default is 1 MiB. */
  readonly maxBody?: number;
  /** Makes a step that checks answers. Tests use it. */
  readonly answerCheck?: ((document: Document) => (operation: Operation) => RequestHandler) | undefined;
  /** The page about deprecations. The default is `/docs`. */
  readonly docs?: string;
}

function announce({ id, route }: Operation, interfaceName: string, docs: string): RequestHandler {
  // An answer may hold personal data, so shared caches must not keep it. The client may keep it, and asks again with
  // the ETag.
  const cacheControl = route.secret ? 'no-store' : 'private, no-cache';
  const headers = { ...sunsetHeaders(route, docs), 'Cache-Control': cacheControl };
  return (req, res, next) => {
    noteOperation(req, interfaceName, id, route.path);
    res.set(headers);
    next();
  };
}

/** Makes the headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`. */
function sunsetHeaders({ deprecatedAt, sunset }: Route, docs: string): Readonly<Record<string, string>> {
  const link = (relation: string) => `<${docs}>; rel="${relation}"; type="text/html"`;
  const links = [...(deprecatedAt ? [link('deprecation')] : []), ...(sunset ? [link('sunset')] : [])];
  return {
    ...(deprecatedAt && { Deprecation: `@${Math.floor(Date.parse(deprecatedAt) / 1000)}` }),
    ...(sunset && { Sunset: new Date(sunset).toUTCString() }),
    ...(links.length > 0 && { Link: links.join(', ') }),
  };
}

/** Matches the parameters of a media type except its weight `q`. Parameters such as `charset=utf-8` are ignored. */
const MEDIA_PARAMETER = /;(?!\s*q\s*=)[^;,]*/gi;

function acceptable({ produces }: Operation): RequestHandler {
  return (req, _res, next) => {
    const { accept = '*/*' } = req.headers;
    req.headers.accept = accept.replace(MEDIA_PARAMETER, '');
    const isServed = accept === '*/*' || produces.length === 0 || req.accepts([...produces]) !== false;
    if (!isServed) throw notAcceptable('not_acceptable', `This operation answers ${produces.join(', ')} only.`);
    next();
  };
}

/** True for the health check. It costs nothing, and it must not wait behind other requests. */
const isAtOnce = ({ route, parameters, body }: Operation): boolean =>
  route.security === 'none' && parameters.length === 0 && body.presence === 'none';

/**
 * Orders the steps. A body is read only if its sender is known and within the budget, and is parsed only in its turn.
 */
function pipelineOf(document: Document, options: RouterOptions) {
  const { authenticate, limits, maxBody = MEBIBYTE, docs = '/docs' } = options;
  const validate = contractValidator(document);
  const checkAnswer = options.answerCheck?.(document);
  const admit = ({ security, budget }: Route): RequestHandler[] => {
    if (security === 'bearer') return [bearer(authenticate, limits.countFailure), limits.byAccount];
    return [budget === 'tracking' ? limits.trackingByIp : limits.publicByIp];
  };
  return (operation: Operation, handler: RawHandler): RequestHandler => {
    const bounds = bodyBounds(document, operation.body.schema);
    const { read, parse } = bodySteps(operation, operation.route.maxBody ?? maxBody, limits.holdBody, bounds);
    const takesBody = operation.route.security === 'bearer' && operation.body.presence !== 'none';
    const work = [
      ...(takesBody ? [stillValid(authenticate)] : []),
      parse,
      validate(operation),
      ...(checkAnswer ? [checkAnswer(operation)] : []),
    ];
    const answer = invocation(operation, handler, options);
    return series([
      announce(operation, options.interfaceName, docs),
      ...admit(operation.route),
      demandPermission(operation.route),
      demandSecondFactor(operation.route, options.demandFactor),
      acceptable(operation),
      read,
      isAtOnce(operation) ? series([...work, answer]) : inTurn(limits.inFlight, work, answer),
    ]);
  };
}

function answerOther({ method }: Request, res: Response, methods: readonly string[]): void {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  if (method === 'OPTIONS') return void res.status(204).set('Allow', allow).end();
  const message = `${method} is not allowed here, only ${allow}.`;
  throw methodNotAllowed('method_not_allowed', message, { headers: { Allow: allow } });
}

/**
 * Serves the operations of a contract by their handlers, except those with `x-static`. All other steps follow from the
 * contract. Passes unknown paths on. Throws if contract, route table and handlers do not fit together.
 */
export function contractRouter<Ops extends object, Routes extends RouteTable>(
  options: RouterOptions & {
    readonly routes: Routes;
    readonly handlers: Handlers<Ops, Routes> & Readonly<Record<string, RawHandler>>;
  },
): RequestHandler {
  const document = readDocument(options.spec);
  const handlers: Readonly<Record<string, RawHandler>> = options.handlers;
  const pipeline = pipelineOf(document, options);
  const byPath = new Map<string, Map<string, RequestHandler>>();
  for (const [id, route] of Object.entries<Route>(options.routes)) {
    if (route.static) continue;
    const handler = handlers[id];
    if (!handler) throw new Error(`The operation ${id} has no handler.`);
    const byMethod = byPath.get(route.path) ?? new Map<string, RequestHandler>();
    byMethod.set(route.method.toUpperCase(), pipeline(readOperation(document, id, route), handler));
    byPath.set(route.path, byMethod);
  }
  // Express would try one path pattern after another.
  const find = pathIndex(byPath);
  return (req, res, next) => {
    const found = find(req.path);
    if (!found) return next();
    const { entry: byMethod, params } = found;
    req.params = params;
    const handle = byMethod.get(req.method === 'HEAD' ? 'GET' : req.method);
    return handle ? handle(req, res, next) : answerOther(req, res, [...byMethod.keys()]);
  };
}
