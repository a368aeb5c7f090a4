import type { Request, RequestHandler } from 'express';
import { rateLimited, type ServiceError, unavailable } from '../../base/errors.js';
import { counts, createGate } from '../../base/turns/queue.js';
import { actorOf } from '../authentication.js';
import { series } from '../series.js';
import { isInner } from '../server/in-process.js';
import { byIp } from './networks.js';

/**
 * Limits the requests of one account in A and B, and of one network without credentials. A few run at once, more wait,
 * others get 429. In D only reads are limited, because one operator key may serve all scanners of a carrier.
 */
export interface InFlight {
  /** Resolves when the request may run. Throws RATE_LIMITED if too many are under way or this one waited too long. */
  enter(owner: string, method: string): Promise<Place>;
  /** Does the same for a request without credentials. Also throws UNAVAILABLE if too many of all networks wait. */
  enterPublic(network: string): Promise<Place>;
}

interface Place {
  /** Lets the account's next request run, because this request only waits from now on. */
  free(): void;
  leave(): void;
}

/** Less than the number of connections in the pool, so that other accounts find a free one. */
const DEFAULT_CONCURRENCY = 3;
const DEFAULT_CONNECTIONS = 10;
/** More than the number of connections that a client keeps open. */
const MAX_WAITING = 120;
const WAIT_MS = 10_000;

const tooMany = (): ServiceError => rateLimited('requests_in_flight', 'The account has too many requests under way.');
const tooManyReads = (): ServiceError =>
  rateLimited('requests_in_flight', 'Too many reads of this operator are under way.');
const tooManyOfNetwork = (): ServiceError =>
  rateLimited('requests_in_flight', 'Your network has too many requests without credentials under way.');

/** The part of the connections for requests without credentials. Reads of operators get as much. */
const SHARE = 1 / 3;
const MAX_WAITING_OF_ALL = 1_000;

interface InFlightOptions {
  /** Requests of one account that run at once. */
  readonly concurrency?: number | undefined;
  /** Connections of the process to the database. */
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

/** Lets owners in by turns, to a share of the connections. So a busy owner does not delay the others for long. */
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

/** Does the work of a page without credentials in the turn of its network. */
export async function inPublicTurn<T>(inFlight: InFlight, req: Request, work: () => Promise<T>): Promise<T> {
  const { leave } = await inFlight.enterPublic(byIp(req));
  try {
    return await work();
  } finally {
    leave();
  }
}

/** Takes a place for the request. An account's pages wait only for each other, not for the account's programs. */
function placeOf(inFlight: InFlight, req: Request): Promise<Place> {
  const actor = actorOf(req);
  const owner = actor?.key?.id ?? actor?.accountId;
  if (owner !== undefined) return inFlight.enter(isInner(req) ? `pages of ${owner}` : owner, req.method);
  // The page that sent this inner request already has a place.
  return isInner(req) ? Promise.resolve(nowhere) : inFlight.enterPublic(byIp(req));
}

/**
 * Runs the steps of a request in the turn of its account or network; `last` ends after everything. Work that has begun
 * keeps its place even if the client leaves. Work that has not begun is dropped.
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
