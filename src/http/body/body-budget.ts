import type { EventEmitter } from 'node:events';
import { rateLimited, type ServiceError, unavailable } from '../../base/errors.js';
import { counts } from '../../base/turns/queue.js';

type Answer = Pick<EventEmitter, 'once'>;

/** The counted bytes of one body. They count until `release`, or until the request ends. */
export interface HeldBody {
  /** Counts more bytes. Throws RATE_LIMITED if the sender holds too much, UNAVAILABLE if all senders together do. */
  grow(bytes: number): void;
  release(): void;
}

const DEFAULT_BODIES_LIMIT = 67_108_864;

/** Size of a small body. The last eighth of the budget is only for small bodies; a usual order is small. */
const SMALL_BYTES = 65_536;

interface Share {
  readonly name: string;
  readonly max: number;
  /** The part of the budget that larger bodies must leave free. */
  readonly reserve?: number;
  readonly refusal: () => ServiceError;
}

const senderHoldsTooMuch = (): ServiceError =>
  rateLimited('bodies_in_flight', 'Too many bytes of your requests are under way.');
const allHoldTooMuch = (): ServiceError => unavailable(undefined, 1, 'bodies_in_flight');

/**
 * Limits the bytes of bodies that are not yet with a handler, per process and per sender. So slow uploads cannot fill
 * the memory. `largest` is the maximum size of a body: one such body per network fits (also compressed), whatever the
 * limit is.
 */
export function createBodyBudget(limit = DEFAULT_BODIES_LIMIT, largest = 0) {
  const held = counts();
  const all: Share = { name: 'all', max: limit, reserve: limit / 8, refusal: allHoldTooMuch };
  const operators: Share = { name: 'operators', max: limit / 2, refusal: allHoldTooMuch };
  const open: Share = { name: 'public', max: limit / 8, refusal: allHoldTooMuch };
  const body = (res: Answer, shares: readonly Share[]): HeldBody => {
    let counted = 0;
    const release = (): void => {
      for (const { name } of shares) held.add(name, -counted);
      counted = 0;
    };
    res.once('close', release);
    return {
      grow: (bytes) => {
        const isSmall = counted + bytes <= SMALL_BYTES;
        const full = shares.find(({ name, max, reserve = 0 }) => held.of(name) + bytes > max - (isSmall ? 0 : reserve));
        if (full) throw full.refusal();
        for (const { name } of shares) held.add(name, bytes);
        counted += bytes;
      },
      release,
    };
  };
  const bySender = (name: string, max: number): Share => ({ name, max, refusal: senderHoldsTooMuch });
  return {
    ofAccount: (accountId: string, res: Answer) => body(res, [bySender(`account ${accountId}`, limit / 8), all]),
    ofOperators: (res: Answer) => body(res, [operators, all]),
    ofPublic: (network: string, res: Answer) =>
      body(res, [bySender(`network ${network}`, Math.max(limit / 32, 2 * largest)), open, all]),
  };
}
