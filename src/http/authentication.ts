import type { Request, RequestHandler, Response } from 'express';
import type { Actor, FactorUse } from '../base/actor.js';
import { forbidden, unauthenticated } from '../base/errors.js';
import type { Route } from '../validation/operation.js';

/** Finds the account behind a bearer token. Undefined if the token is not valid now. */
export type Authenticate = (token: string) => Actor | undefined | Promise<Actor | undefined>;

/** Throws FORBIDDEN if this use needs a second factor that the actor did not give. */
export type DemandFactor = (actor: Actor, use: FactorUse) => void | Promise<void>;

const actors = new WeakMap<Request, Actor>();

export const actorOf = (req: Request): Actor | undefined => actors.get(req);

/** Remembers who sent the request, for the account's rate limit and the access log. */
export const rememberActor = (req: Request, actor: Actor): void => void actors.set(req, actor);

const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;

/** Demands a valid bearer token (RFC 6750). A failure counts against the address, so that guessing ends in 429. */
export function bearer(
  authenticate: Authenticate,
  countFailure: (req: Request, res: Response) => Promise<void>,
): RequestHandler {
  return async (req, res, next) => {
    const actor = await senderOf(req, authenticate);
    if (!actor) {
      await countFailure(req, res);
      throw req.headers.authorization === undefined
        ? unauthenticated('token_missing', 'Send a bearer token in the Authorization header.')
        : endedToken();
    }
    rememberActor(req, actor);
    next();
  };
}

/** Checks the token again when the body has arrived, because the sender may have been removed during the upload. */
export function stillValid(authenticate: Authenticate): RequestHandler {
  return async (req, _res, next) => {
    if (!(await senderOf(req, authenticate))) throw endedToken();
    next();
  };
}

const endedToken = () => unauthenticated('token_invalid', 'The bearer token is not valid.');

async function senderOf({ headers }: Request, authenticate: Authenticate): Promise<Actor | undefined> {
  const token = BEARER.exec(headers.authorization ?? '')?.[1];
  return token === undefined ? undefined : authenticate(token);
}

/**
 * Refuses actors that the contract does not admit: by role (`x-roles`), key (`x-scopes`) or member (`x-member-roles`).
 */
export function demandPermission(route: Route): RequestHandler {
  return (req, _res, next) => next(refusalOf(route, actorOf(req), req));
}

/** Refuses a change without the operator's second factor, if one is needed. Every method but GET is a change. */
export function demandSecondFactor({ method, secondFactor }: Route, demand: DemandFactor): RequestHandler {
  const use = secondFactor ?? (method === 'get' ? 'read' : 'change');
  return async (req, _res, next) => {
    const actor = actorOf(req);
    if (actor) await demand(actor, use);
    next();
  };
}

function refusalOf(
  { roles, scopes = ['all'], memberRoles = [], scopeFilters }: Route,
  actor: Actor | undefined,
  req: Request,
) {
  if (roles && !(actor && roles.includes(actor.role)))
    return forbidden('role_not_allowed', 'Your role does not allow this operation.');
  const { member } = actor ?? {};
  if (member && !memberRoles.includes(member.role))
    return forbidden('member_role_not_allowed', `Your role in the account is ${member.role}; ask an owner.`);
  const key = actor?.key ?? actor?.apiKey;
  if (!key) return undefined;
  const { scope } = key;
  if (scopes.length === 0) return forbidden('scope_not_allowed', 'No key allows this operation: sign in.');
  if (!scopes.includes(scope)) {
    return forbidden('scope_not_allowed', `The key's scope is ${scope}; this operation needs ${scopes.join(' or ')}.`);
  }
  const filters = scopeFilters?.[scope];
  if (!filters || filters.some((filter) => isIn(req.query, filter))) return undefined;
  return forbidden(
    'scope_not_allowed',
    `With a key of scope ${scope}, this operation needs the parameter ${filters.join(' or ')}.`,
  );
}

/** True if the query has the filter's parameter, with the filter's value if it has one (`open=true`). */
function isIn(query: Request['query'], filter: string): boolean {
  const [name = '', value] = filter.split('=');
  return name in query && (value === undefined || query[name] === value);
}
