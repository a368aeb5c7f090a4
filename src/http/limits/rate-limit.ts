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

/** Fixed windows of one hour (contracts/guides/limits.md). */
export const WINDOW_MS = HOUR_MS;
/** The budget of tracking pages, in budgets of other public requests. */
const TRACKING_SHARE = 10;
/** The budget of an account's people on pages, measured in budgets of its programs; it includes files of orders. */
const PAGES_SHARE = 10;
const MAX_PER_HOUR = 1_000_000_000;

export interface LimitConfig {
  readonly publicPerHour: number;
  readonly accountPerHour: number;
  /** 0 is unlimited. */
  readonly operatorPerHour: number;
  /** In this process's memory when left out. */
  readonly storeFor?: StoreFor | undefined;
  /** Requests of an account at once; 3 when left out. */
  readonly accountConcurrency?: number | undefined;
  /** Connections to the database, 10 when left out: a third is for requests without credentials, one for operators. */
  readonly connections?: number | undefined;
  /** Bytes of bodies while they come in, 64 MiB when left out; and of one body. */
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
  /** Of tracking pages, which many people of one mobile network look at again and again. */
  trackingByIp: RequestHandler;
  /** Needs the actor: see `rememberActor`. REST and GraphQL share it. */
  byAccount: RequestHandler;
  /** Budget of each operator and each operator key; a customer at that interface uses its account's budget. */
  operatorByAccount: RequestHandler;
  /** Counts a failed authentication against the address. Throws `RATE_LIMITED` once its budget is used up. */
  countFailure(req: Request, res: Response): Promise<void>;
  inFlight: InFlight;
  operatorsInFlight: InFlight;
  /** Counts a body as the account's, or as the network's without credentials. */
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
 * Budgets: each step counts one request and sets `X-RateLimit-*`, or throws `RATE_LIMITED`. Called once in a process:
 * all interfaces share them.
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
