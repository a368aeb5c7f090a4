import type { Request } from 'express';
import type { ServiceError } from '../base/errors.js';
import { actorOf } from '../http/authentication.js';
import type { Context } from './context.js';
import { turns } from './turns.js';
import { faultList } from './wrong-values.js';

/** One request on its way: what becomes of its answer besides the body. */
export interface Exchange {
  readonly context: Context;
  readonly headers: Record<string, string>;
  /** Why the answer has no data. */
  failure?: ServiceError;
  /** Whether it asks for lists of orders. */
  listsOrders: boolean;
  isAnswered: boolean;
  /** Lets the account's next request for lists of orders be answered. */
  leave?: () => void;
}

export function exchangeFor(req: Request): Exchange {
  const headers: Record<string, string> = {};
  const context: Context = {
    actor: actorOf(req),
    ip: req.ip ?? '',
    idempotencyKey: req.get('idempotency-key'),
    addHeaders: (more) => void Object.assign(headers, more),
    inTurn: turns(() => exchange.isAnswered),
    listed: faultList(),
  };
  const exchange: Exchange = { context, headers, listsOrders: false, isAnswered: false };
  return exchange;
}

export function fail(exchange: Exchange, fault: ServiceError): void {
  exchange.failure = fault;
  Object.assign(exchange.headers, fault.headers);
}
