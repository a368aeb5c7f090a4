import type { Logger } from '../base/log.js';
import { createGate, type Gate } from '../base/queue.js';
import { isLockTimeout } from '../db/errors.js';

/**
 * Keeps an operation whose requests wait for a lock from taking all connections. From the first lock timeout until five
 * seconds after the last, its requests have half of the connections at most, and each account one, as the lock may be
 * of its row; the others wait for their turn.
 */
export interface Bulkhead {
  /** Does the work of a request. Throws what that throws, and UNAVAILABLE when its turn did not come in time. */
  run<T>(operation: string, accountId: string | undefined, work: () => Promise<T>): Promise<T>;
}

interface BulkheadOptions {
  connections: number;
  waitMs: number;
  log: Logger;
}

const APART_MS = 5_000;

interface Apart {
  /** In performance.now()'s time. */
  until: number;
  /** One request of each account at a time. */
  gate: Gate;
}

export function createBulkhead({ connections, waitMs, log }: BulkheadOptions): Bulkhead {
  const atOnce = Math.max(1, Math.floor(connections / 2));
  /** By operation. */
  const known = new Map<string, Apart>();

  function setApart(operation: string): void {
    const now = performance.now();
    const apart = known.get(operation) ?? { until: 0, gate: createGate({ atOnce, waitMs }) };
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
      return apart.gate.pass(owner, undefined, watched);
    },
  };
}
