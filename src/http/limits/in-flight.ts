import type { Request, RequestHandler } from 'express';
import { rateLimited, type ServiceError, unavailable } from '../../base/errors.js';
import { counts, createGate } from '../../base/turns/queue.js';
import { actorOf } from '../authentication.js';
import { series } from '../series.js';
import { isInner } from '../server/in-process.js';
import { byIp } from './networks.js';

/**
 * Bounds the requests of one account through A and B, and of one network without credentials: a few run at once, more
 * wait, others are refused with 429. In D only reads are bounded, because one operator key may serve all scanners of a
 * carrier.
 */
export interface InFlight {
  /** Resolves when the request may run. Throws RATE_LIMITED when too many are under way, or it has waited too long. */
  enter(owner: string, method: string): Promise<Place>;
  /** The same without credentials. Throws UNAVAILABLE, too, when too many of all networks wait. */
  enterPublic(network: string): Promise<Place>;
}

interface Place {
  /** Lets the account's next request run, because this one only waits from now on. */
  free(): void;
  leave(): void;
}

/** Fewer than a pool of connections has, so that others find one. */
const DEFAULT_CONCURRENCY = 3;
const DEFAULT_CONNECTIONS = 10;
/** More than the connections that a client keeps. */
const MAX_WAITING = 120;
const WAIT_MS = 10_000;

const tooMany = (): ServiceError => rateLimited('requests_in_flight', 'The account has too many requests under way.');
const tooManyReads = (): ServiceError =>
  rateLimited('requests_in_flight', 'Too many reads of this operator are under way.');
const tooManyOfNetwork = (): ServiceError =>
  rateLimited('requests_in_flight', 'Your network has too many requests without credentials under way.');

/** The part of the connections for requests without credentials, and for reads of operators. */
const SHARE = 1 / 3;
const MAX_WAITING_OF_ALL = 1_000;

interface InFlightOptions {
  /** Requests of an account at once. */
  readonly concurrency?: number | undefined;
  /** Connections of the process to its database. */
  readonly connections?: number | undefined;
  readonly waitMs?: number;
}

export function createInFlight({
  concurrency = DEFAULT_CONCURRENCY,
  connections = DEFAULT_CONNECTIONS,
  waitMs = WAIT_MS,
}: InFlightOptions = {}): InFlight {
  const atOnce = Number.POSITIVE_INFINITY;
  const gate = createGate({ atOnce, atOnceOfOwner: concurrency, waitMs, refusal: tooMany });
  const underWay = counts();
  return {
    enter: async (owner) => {
      if (underWay.of(owner) >= concurrency + MAX_WAITING) throw tooMany();
      underWay.add(owner, 1);
      let isUnderWay = true;
      const end = () => {
        if (isUnderWay) underWay.add(owner, -1);
        isUnderWay = false;
      };
      const free = await gate.enter(owner).catch((error: unknown) => {
        end();
        throw error;
      });
      return {
        free,
        leave: () => {
          free();
          end();
        },
      };
    },
    enterPublic: entrance(connections, waitMs, tooManyOfNetwork),
  };
}

/** Lets owners in by turns, to a share of the connections, so that a busy owner delays no other one for long. */
function entrance(connections: number, waitMs: number, tooManyOfOwner: () => ServiceError) {
  const atOnce = Math.max(1, Math.floor(connections * SHARE));
  const gate = createGate({
    atOnce,
    atOnceOfOwner: Math.max(1, atOnce - 1),
    maxWaiting: MAX_WAITING_OF_ALL,
    maxWaitingOfOwner: MAX_WAITING,
    waitMs,
    refusal: (full) => (full === 'owner' ? tooManyOfOwner() : unavailable()),
  });
  return async (owner: string): Promise<Place> => {
    const leave = await gate.enter(owner);
    return { free: leave, leave };
  };
}

const nowhere: Place = { free: () => undefined, leave: () => undefined };

/**
 * Bounds the reads of operators, which may take long, such as a search. Movements that operators record do not wait
 * for these reads.
 */
export function operatorsInFlight({ enterPublic }: InFlight, connections = DEFAULT_CONNECTIONS): InFlight {
  const enterRead = entrance(connections, WAIT_MS, tooManyReads);
  return { enter: async (owner, method) => (/^(GET|HEAD)$/.test(method) ? enterRead(owner) : nowhere), enterPublic };
}

const places = new WeakMap<Request, Place>();

export const freePlace = (req: Request): void => places.get(req)?.free();

/** Does the work of a page without credentials when its network has its turn. */
export async function inPublicTurn<T>(inFlight: InFlight, req: Request, work: () => Promise<T>): Promise<T> {
  const { leave } = await inFlight.enterPublic(byIp(req));
  try {
    return await work();
  } finally {
    leave();
  }
}

/** The place of a request. Pages of an account wait for one another only, not for the account's programs. */
function placeOf(inFlight: InFlight, req: Request): Promise<Place> {
  const actor = actorOf(req);
  const owner = actor?.key?.id ?? actor?.accountId;
  if (owner !== undefined) return inFlight.enter(isInner(req) ? `pages of ${owner}` : owner, req.method);
  // The page that sent this request has a place already.
  return isInner(req) ? Promise.resolve(nowhere) : inFlight.enterPublic(byIp(req));
}

/**
 * Runs the steps of a request when its account or network has its turn; `last` ends when all is done. Work that has
 * begun keeps its place when its client goes away. Work that has not begun is dropped.
 */
export function inTurn(inFlight: InFlight, steps: readonly RequestHandler[], last: RequestHandler): RequestHandler {
  const all = series([
    ...steps,
    async (req, res, next) => {
      await last(req, res, next);
      places.get(req)?.leave();
    },
  ]);
  return async (req, res, next) => {
    const place = await placeOf(inFlight, req);
    if (res.closed) return place.leave();
    places.set(req, place);
    all(req, res, (error?: unknown) => {
      place.leave();
      next(error);
    });
  };
}
