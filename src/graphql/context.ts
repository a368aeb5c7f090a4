import type { Request } from 'express';
import type { FieldError } from '../../generated/graphql.js';
import type { Identity } from '../accounts/identity.js';
import type { Actor, NewAuditEntry } from '../base/actor.js';
import type { Clock } from '../base/clock.js';
import { type ServiceError, unauthenticated } from '../base/errors.js';
import type { KeyRing } from '../base/secrets/keys.js';
import type { FiscalRule } from '../base/tax.js';
import type { Logger } from '../base/telemetry/log.js';
import type { Origin } from '../base/telemetry/tracing.js';
import { createGate } from '../base/turns/queue.js';
import type { Db } from '../db/connect.js';
import type { ReadList } from '../db/lists/replica.js';
import { actorOf } from '../http/authentication.js';
import type { Bulkhead } from '../http/bulkhead.js';
import { freePlace } from '../http/limits/in-flight.js';
import { originOf, requestIdOf } from '../http/server/request-log.js';
import type { Placing } from '../orders/place-order.js';
import { shownPin } from '../packages/proof/pins.js';
import type { TrackingLinks } from '../packages/tracking-links.js';
import type { Planning } from '../routing/planning.js';
import type { PackageExtras } from './order-types.js';
import { wrongValues } from './wrong-values.js';

export const INTERFACE = 'graphql';
export const PATH = '/graphql';

export interface GraphqlDeps {
  db: Db;
  readList: ReadList;
  identity: Identity;
  planning: Planning;
  clock: Clock;
  placing: Placing;
  trackingLinks: TrackingLinks;
  /** The rule for fiscal documents of accounts without a rule of their own. */
  fiscalRule: FiscalRule;
  bulkhead: Bulkhead;
  log: Logger;
  /** Seals the stored results of idempotency keys, and the PINs of packages. */
  encryptionKeys: KeyRing;
}

/** The request as resolvers see it. */
export type Context = {
  readonly actor: Actor | undefined;
  /** Address of the client. It is taken from proxy headers only if the proxies are trusted. */
  readonly ip: string;
  readonly origin: Origin;
  readonly requestId: string;
  /** The audit entry for this field. Only mutations have one. */
  readonly entry?: NewAuditEntry;
  readonly idempotencyKey: string | undefined;
  /** Lets the account's next request run, because this request only waits from now on. */
  readonly freePlace: () => void;
  readonly addHeaders: (headers: Readonly<Record<string, string>>) => void;
  /** Runs work after the request's earlier work, so that a request uses one connection at a time. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Returns the field errors for a result. All results of a request list at most a hundred. */
  readonly listed: (refusal: Pick<ServiceError, 'reason' | 'details' | 'isPartial'>) => FieldError[];
};

export interface Exchange {
  readonly context: Context;
  readonly headers: Record<string, string>;
  /** Set if the answer has no data. */
  failure?: ServiceError;
  /** The root field of the operation. Undefined until the document is read. */
  operation?: string;
  /** True if the operation has only one root field. */
  isSingle: boolean;
  listsOrders: boolean;
  isAnswered: boolean;
  /** Lets the account's next request with lists of orders run. */
  leave?: () => void;
}

export function exchangeFor(req: Request): Exchange {
  const headers: Record<string, string> = {};
  const line = createGate({ atOnce: 1 });
  const context: Context = {
    actor: actorOf(req),
    ip: req.ip ?? '',
    origin: originOf(req),
    requestId: requestIdOf(req),
    idempotencyKey: req.get('idempotency-key'),
    freePlace: () => {
      if (exchange.isSingle) freePlace(req);
    },
    addHeaders: (more) => void Object.assign(headers, more),
    inTurn: (work) =>
      line.pass('', undefined, async () => {
        // A failure may answer the request while other fields still wait for their turn.
        if (exchange.isAnswered) throw new Error('The request has been answered.');
        return work();
      }),
    listed: fieldErrorList(),
  };
  const exchange: Exchange = { context, headers, isSingle: false, listsOrders: false, isAnswered: false };
  return exchange;
}

export const extrasFor = ({ trackingLinks: links, encryptionKeys }: GraphqlDeps, actor: Actor): PackageExtras => ({
  links,
  pinOf: (record) => shownPin(actor, encryptionKeys, record) ?? null,
});

const NO_KEY = 'Send Authorization: ApiKey <EMAIL>:<API_KEY>; without it, only login and introspection are allowed.';

/** Returns the actor. Throws `UNAUTHENTICATED` without credentials. */
export function actorIn({ actor }: Context): Actor {
  if (!actor) throw unauthenticated('api_key_missing', NO_KEY);
  return actor;
}

const MAX_MESSAGE = 250;

function fieldErrorList(): Context['listed'] {
  const list = wrongValues();
  return ({ reason: ofAll, details, isPartial }) => {
    const before = list.errors.length;
    for (const detail of details) list.add({ ...detail, message: detail.message.slice(0, MAX_MESSAGE).toWellFormed() });
    if (isPartial) list.cut();
    return list.errors
      .slice(before)
      .map(({ orderId = null, total = null, firstDate = null, reason = ofAll, ...error }) => ({
        ...error,
        orderPk: orderId,
        total,
        firstDate,
        reason,
      }));
  };
}
