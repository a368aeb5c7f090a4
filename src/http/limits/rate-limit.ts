import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit, type Store } from 'express-rate-limit';
import { ServiceError } from '../../base/errors.js';
import { actorOf } from '../authentication.js';
import { settle } from '../series.js';
import { memoryStore } from './memory-store.js';

/** Fixed windows of one hour (contracts/guides/behaviour.md#rest-over-http). */
export const WINDOW_MS = 3_600_000;
const IPV6_SUBNET = 64;

export interface LimitConfig {
  readonly publicPerHour: number;
  readonly accountPerHour: number;
  /** 0 is unlimited. */
  readonly operatorPerHour: number;
  /** In this process's memory when left out. */
  readonly storeFor?: StoreFor | undefined;
}

/** Makes the counter of one budget. */
export type StoreFor = (budget: string) => Store;

/** The budgets; each counts one request and sets `X-RateLimit-*`, or throws `RATE_LIMITED`. */
export interface Limits {
  readonly publicByIp: RequestHandler;
  /** Needs the actor: see `rememberActor`. REST and GraphQL share it. */
  readonly byAccount: RequestHandler;
  /** At the operator's interface each operator and each operator key has a budget of its own; a customer there uses up its account's. */
  readonly operatorByAccount: RequestHandler;
  /** Counts a failed authentication against the address. Throws `RATE_LIMITED` once its budget is used up. */
  readonly countFailure: (req: Request, res: Response) => Promise<void>;
}

/** The budgets of one interface: `byAccount` is the account's or the operator's. */
export type InterfaceLimits = Pick<Limits, 'publicByIp' | 'byAccount' | 'countFailure'>;

const byIp = (req: Request): string => ipKeyGenerator(req.ip ?? '', IPV6_SUBNET);
const byActor = (req: Request): string => {
  const actor = actorOf(req);
  return actor?.key?.id ?? actor?.accountId ?? byIp(req);
};

// Retry-After is already on the response.
const refuse: RequestHandler = (_req, _res, next) =>
  next(new ServiceError('RATE_LIMITED', 'Too many requests in this hour.'));

function budget(limit: number, keyGenerator: (req: Request) => string, store: Store): RequestHandler {
  if (limit === 0) return (_req, _res, next) => next();
  return rateLimit({
    windowMs: WINDOW_MS,
    limit,
    keyGenerator,
    store,
    handler: refuse,
    legacyHeaders: true,
    validate: false,
  });
}

/** Makes the budgets once for the whole process; all interfaces share them. */
export function createLimits(config: LimitConfig): Limits {
  const { storeFor = () => memoryStore(WINDOW_MS) } = config;
  const publicByIp = budget(config.publicPerHour, byIp, storeFor('public'));
  const byAccount = budget(config.accountPerHour, byActor, storeFor('account'));
  const byOperator = budget(config.operatorPerHour, byActor, storeFor('operator'));
  return {
    publicByIp,
    byAccount,
    operatorByAccount: (req, res, next) => {
      const own = actorOf(req)?.role === 'customer' ? byAccount : byOperator;
      return own(req, res, next);
    },
    countFailure: (req, res) => settle(publicByIp, req, res),
  };
}
