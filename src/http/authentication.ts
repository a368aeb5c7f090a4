import type { Request, RequestHandler, Response } from 'express';
import type { Actor } from '../base/actor.js';
import { forbidden, unauthenticated } from '../base/errors.js';
import type { Route } from './routes.js';

/** The account behind a bearer token; undefined when the token is not valid now. */
export type Authenticate = (token: string) => Actor | undefined | Promise<Actor | undefined>;

const actors = new WeakMap<Request, Actor>();

/** Who was found to have sent the request, if anyone. */
export const actorOf = (req: Request): Actor | undefined => actors.get(req);

/** Notes who sent the request, for the account's rate limit and the access log. */
export const rememberActor = (req: Request, actor: Actor): void => void actors.set(req, actor);

const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;

/**
 * Demands a valid bearer token (RFC 6750). A failure counts against the address's budget first, so that guessing ends
 * in 429.
 */
export function bearer(
  authenticate: Authenticate,
  countFailure: (req: Request, res: Response) => Promise<void>,
): RequestHandler {
  return async (req, res, next) => {
    const header = req.headers.authorization;
    const token = BEARER.exec(header ?? '')?.[1];
    const actor = token === undefined ? undefined : await authenticate(token);
    if (!actor) {
      await countFailure(req, res);
      throw header === undefined
        ? unauthenticated('Send a bearer token in the Authorization header.', 'Bearer')
        : unauthenticated('The bearer token is not valid.', 'Bearer error="invalid_token"');
    }
    rememberActor(req, actor);
    next();
  };
}

/** Lets only the roles pass that the contract names (`x-roles`). */
export function demandRole({ roles }: Route): RequestHandler {
  return (req, _res, next) => {
    const actor = actorOf(req);
    const allowed = roles === undefined || (actor !== undefined && roles.includes(actor.role));
    next(allowed ? undefined : forbidden('Your role does not allow this operation.'));
  };
}
