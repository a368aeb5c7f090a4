import type { Logger } from '../base/telemetry/log.js';
import { createGate, type Gate } from '../base/turns/queue.js';
import { isLockTimeout } from '../db/errors.js';

/**
 * Keeps an operation whose requests wait for a lock from taking all connections. From the first lock timeout until five
 * seconds after the last, its requests have half of them at most, and each account one, as the lock may be of its row.
 */
export interface Bulkhead {
  /** Throws what the work throws, and UNAVAILABLE when its turn did not come in time. */
  run<T>(operation: string, accountId: string | undefined, work: () => Promise<T>): Promise<T>;
}

const APART_MS = 5_000;

interface Apart {
  /** In performance.now()'s time. */
  until: number;
  gate: Gate;
}

export function createBulkhead({
  connections,
  waitMs,
  log,
}: {
  connections: number;
  waitMs: number;
  log: Logger;
}): Bulkhead {
  const atOnce = Math.max(1, Math.floor(connections / 2));
  const byOperation = new Map<string, Apart>();

  function setApart(operation: string): void {
    const now = performance.now();
    const apart = byOperation.get(operation) ?? { until: 0, gate: createGate({ atOnce, waitMs }) };
    if (apart.until < now) log.warn({ operation }, 'http.lock_waits');
    apart.until = now + APART_MS;
    byOperation.set(operation, apart);
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
      const apart = byOperation.get(operation);
      if (!apart || apart.until < performance.now()) return watched();
      return apart.gate.pass(owner, undefined, watched);
    },
  };
}
