import type { Logger } from '../base/log.js';
import { createQueue, type Queue, type Waiter } from '../base/queue.js';
import { isLockTimeout } from '../db/errors.js';

/**
 * Keeps an operation whose requests wait for a lock that somebody holds from taking all connections, which would let everybody wait with
 * them. Once one has waited in vain, and until none has for five seconds, its requests have half of the connections at most, and those of
 * one account a single one, as the lock may be of a row of that account; the others wait for their turn.
 */
export interface Bulkhead {
  /** Does the work of a request. Throws what that throws, and UNAVAILABLE when its turn did not come in time. */
  run<T>(operation: string, accountId: string | undefined, work: () => Promise<T>): Promise<T>;
}

interface BulkheadOptions {
  /** What requests share. */
  connections: number;
  /** How long a request waits for its turn. */
  waitMs: number;
  log: Logger;
}

/** How long an operation is set apart after a lock that was not given. */
const APART_MS = 5_000;

interface Waiting extends Waiter {
  run(): Promise<void>;
}

interface Apart {
  /** In performance.now()'s time. */
  until: number;
  queue: Queue<Waiting>;
}

export function createBulkhead({ connections, waitMs, log }: BulkheadOptions): Bulkhead {
  const atOnce = Math.max(1, Math.floor(connections / 2));
  /** By operation. */
  const known = new Map<string, Apart>();

  function setApart(operation: string): void {
    const now = performance.now();
    const apart = known.get(operation) ?? { until: 0, queue: oneOfEachAccount(atOnce, waitMs) };
    if (apart.until < now) log.warn({ operation }, 'requests wait for a lock: they get few connections for now');
    apart.until = now + APART_MS;
    known.set(operation, apart);
  }

  return {
    run: async (operation, owner = '', work) => {
      const watched = async () => {
        try {
          return await work();
        } catch (error) {
          if (isLockTimeout(error)) setApart(operation);
          throw error;
        }
      };
      const apart = known.get(operation);
      if (!apart || apart.until < performance.now()) return watched();
      return new Promise((resolve, reject) =>
        apart.queue.add({
          owner,
          since: performance.now(),
          reject,
          run: () => watched().then(resolve, reject),
        }),
      );
    },
  };
}

function oneOfEachAccount(atOnce: number, waitMs: number): Queue<Waiting> {
  const busy = new Set<string>();
  return createQueue({
    atOnce,
    waitMs,
    next: (waiting) => [waiting.take(({ owner }) => !busy.has(owner)) ?? []].flat(),
    run: async (batch) => {
      for (const { owner, run } of batch) {
        busy.add(owner);
        await run();
        busy.delete(owner);
      }
    },
  });
}
