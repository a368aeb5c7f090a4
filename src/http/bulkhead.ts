import type { Logger } from '../base/telemetry/log.js';
import { createGate, type Gate } from '../base/turns/queue.js';
import { isLockTimeout } from '../db/errors.js';

/**
 * Keeps an operation that waits for locks from taking all connections. The limit begins with a lock timeout and ends
 * five seconds after the last one. Meanwhile the operation gets at most half of the connections. Each account gets one,
 * because the lock may be on its row.
 */
export interface Bulkhead {
  /** Runs the work and throws its errors. Throws UNAVAILABLE if its turn did not come in time. */
  run<T>(operation: string, accountId: string | undefined, work: () => Promise<T>): Promise<T>;
}

const APART_MS = 5_000;

interface Apart {
  /** End of the limit, on the clock of performance.now(). */
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
