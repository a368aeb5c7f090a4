import type { Request, RequestHandler, Response } from 'express';
import { rateLimit, type Store } from 'express-rate-limit';
import { HOUR_MS } from '../../base/clock.js';
import { rateLimited } from '../../base/errors.js';
import { actorOf } from '../authentication.js';
import { createBodyBudget } from '../body/body-budget.js';
import type { HoldBody } from '../body/body-reader.js';
import { runStep } from '../series.js';
import { isInner } from '../server/in-process.js';
import { originOf } from '../server/request-log.js';
import { createInFlight, type InFlight, operatorsInFlight } from './in-flight.js';
import { memoryStore } from './memory-store.js';
import { byIp } from './networks.js';

/** Length of a window: one hour (contracts/guides/limits.md). */
export const WINDOW_MS = HOUR_MS;
/** The budget of tracking pages, as a multiple of the budget of other public requests. */
const TRACKING_SHARE = 10;
/**
 * The budget of an account's people on pages, as a multiple of the budget of its programs. It includes files of orders.
 */
const PAGES_SHARE = 10;
const MAX_PER_HOUR = 1_000_000_000;

export interface LimitConfig {
  readonly publicPerHour: number;
  readonly accountPerHour: number;
  /** 0 means unlimited. */
  readonly operatorPerHour: number;
  /** Makes the store of a budget. The default counts in the memory of this process. */
  readonly storeFor?: StoreFor | undefined;
  /** Requests of one account that run at once. The default is 3. */
  readonly accountConcurrency?: number | undefined;
  /**
   * Connections to the database, 10 by default. A third is for requests without credentials, a third for reads of
   * operators.
   */
  readonly connections?: number | undefined;
  /** Maximum bytes of all bodies that are arriving, 64 MiB by default. `bodyLimit` is the maximum of one body. */
  readonly bodiesLimit?: number | undefined;
  readonly bodyLimit?: number | undefined;
  readonly onRefused?: ((interfaceName: string, budget: BudgetName) => void) | undefined;
}

export const budgetNames = ['public', 'tracking', 'account', 'pages', 'operator'] as const;
type BudgetName = (typeof budgetNames)[number];

export type StoreFor = (budget: string) => Store;

export type InterfaceLimits = Omit<Limits, 'operatorByAccount' | 'holdOperatorBody' | 'operatorsInFlight'>;

export interface Limits {
  publicByIp: RequestHandler;
  /** The budget of tracking pages. Many people of one mobile network look at them again and again. */
  trackingByIp: RequestHandler;
  /** The budget of an account, shared by REST and GraphQL. It needs the actor (`rememberActor`). */
  byAccount: RequestHandler;
  /** The budget of each operator and each operator key. A customer at that interface uses the budget of the account. */
  operatorByAccount: RequestHandler;
  /** Counts a failed authentication for the IP address. Throws `RATE_LIMITED` when its budget is used up. */
  countFailure(req: Request, res: Response): Promise<void>;
  inFlight: InFlight;
  operatorsInFlight: InFlight;
  /** Counts a body for the account, or for the network if there are no credentials. */
  holdBody: HoldBody;
  holdOperatorBody: HoldBody;
}

export const operatorLimits = (limits: Limits): InterfaceLimits => ({
  ...limits,
  byAccount: limits.operatorByAccount,
  holdBody: limits.holdOperatorBody,
  inFlight: limits.operatorsInFlight,
});

const byActor = (req: Request): string => {
  const actor = actorOf(req);
  return actor?.key?.id ?? actor?.accountId ?? byIp(req);
};

function budget(
  limit: number,
  keyGenerator: (req: Request) => string,
  store: Store,
  onRefused: (req: Request) => void,
): RequestHandler {
  const handler: RequestHandler = (req, res, next) => {
    onRefused(req);
    const retryAfter = Number(res.getHeader('Retry-After'));
    next(rateLimited('hourly_budget', 'Too many requests in this hour.', { retryAfter }));
  };
  if (limit === 0) return (_req, _res, next) => next();
  const counted = { windowMs: WINDOW_MS, limit, keyGenerator, store };
  return rateLimit({ ...counted, handler, legacyHeaders: true, validate: false });
}

/**
 * Makes the budgets. Each step counts one request and sets `X-RateLimit-*`, or throws `RATE_LIMITED`. Call it once per
 * process, because all interfaces share the budgets.
 */
export function createLimits(config: LimitConfig): Limits {
  const { storeFor = () => memoryStore(WINDOW_MS), onRefused } = config;
  const named = (name: BudgetName, limit: number, keyOf: (req: Request) => string) =>
    budget(limit, keyOf, storeFor(name), (req) => onRefused?.(originOf(req).interfaceName, name));
  const publicByIp = named('public', config.publicPerHour, byIp);
  const share = (factor: number, perHour: number) => Math.min(factor * perHour, MAX_PER_HOUR);
  const trackingByIp = named('tracking', share(TRACKING_SHARE, config.publicPerHour), byIp);
  const byPrograms = named('account', config.accountPerHour, byActor);
  const byPages = named('pages', share(PAGES_SHARE, config.accountPerHour), byActor);
  const byAccount: RequestHandler = (req, res, next) => (isInner(req) ? byPages : byPrograms)(req, res, next);
  const bodies = createBodyBudget(config.bodiesLimit, config.bodyLimit);
  const inFlight = createInFlight({ concurrency: config.accountConcurrency, connections: config.connections });
  const byOperator = named('operator', config.operatorPerHour, byActor);
  return {
    publicByIp,
    trackingByIp,
    byAccount,
    operatorByAccount: (req, res, next) => {
      const own = actorOf(req)?.role === 'customer' ? byAccount : byOperator;
      return own(req, res, next);
    },
    countFailure: (req, res) => runStep(publicByIp, req, res),
    inFlight,
    operatorsInFlight: operatorsInFlight(inFlight, config.connections),
    holdBody: (req, res) => {
      const actor = actorOf(req);
      return actor ? bodies.ofAccount(actor.accountId, res) : bodies.ofPublic(byIp(req), res);
    },
    holdOperatorBody: (_req, res) => bodies.ofOperators(res),
  };
}
