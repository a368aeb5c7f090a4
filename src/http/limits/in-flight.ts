import type { Request, RequestHandler } from 'express';
import { rateLimited, type ServiceError } from '../../base/errors.js';
import { counts, createGate } from '../../base/queue.js';
import { actorOf } from '../authentication.js';
import { series } from '../series.js';
import { isInner } from '../server/in-process.js';

/**
 * Bounds the requests of one account through A and B: a few run at once, more wait, others are refused with 429. D has
 * no such bound: one operator key may be all scanners of a carrier.
 */
export interface InFlight {
  /** Resolves when the request may run. Throws RATE_LIMITED when too many are under way, or it has waited too long. */
  enter(accountId: string): Promise<Place>;
}

interface Place {
  /** Lets the account's next request run, as this one only waits from now on. */
  free(): void;
  leave(): void;
}

/** Fewer than a pool of connections has, so that others find one. */
const DEFAULT_CONCURRENCY = 3;
/** More than a client keeps connections. */
const MOST_WAITING = 120;
const WAIT_MS = 10_000;

const tooMany = (): ServiceError => rateLimited('requests_in_flight', 'The account has too many requests under way.');

export function createInFlight(concurrency = DEFAULT_CONCURRENCY, waitMs = WAIT_MS): InFlight {
  const atOnce = Number.POSITIVE_INFINITY;
  const gate = createGate({ atOnce, atOnceOfOwner: concurrency, waitMs, refusal: tooMany });
  const underWay = counts();
  return {
    enter: async (owner) => {
      if (underWay.of(owner) >= concurrency + MOST_WAITING) throw tooMany();
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
  };
}

export const unbounded: InFlight = { enter: async () => ({ free: () => undefined, leave: () => undefined }) };

const places = new WeakMap<Request, Place>();

export const freePlace = (req: Request): void => places.get(req)?.free();

/**
 * Runs the steps of a request at the turn of its account; `last` ends when all is done. Work that has begun keeps its
 * place when its client goes away; otherwise it is not begun. Requests without credentials do not wait.
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
    const actor = actorOf(req);
    if (!actor) return all(req, res, next);
    // Pages wait for each other alone, not for the account's programs.
    const place = await inFlight.enter(isInner(req) ? `pages of ${actor.accountId}` : actor.accountId);
    if (res.closed) return place.leave();
    places.set(req, place);
    all(req, res, (error?: unknown) => {
      place.leave();
      next(error);
    });
  };
}
