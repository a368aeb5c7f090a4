import type { IncrementResponse, Store } from 'express-rate-limit';

/** Methods that express-rate-limit wants from a store. It never calls them, because every request counts. */
const neverTakenBack = { decrement: () => undefined, resetKey: () => undefined };

/**
 * Counts requests in fixed windows, in this process. A request counts as `weight()` hits. The store of
 * express-rate-limit returns its live counter, so two requests in one tick both see the sum. This store admits exactly
 * the limit.
 */
export function memoryStore(windowMs: number, weight = (): number => 1) {
  const windows = new Map<string, { hits: number; readonly endsAt: number }>();
  const forgetEnded = (): void => {
    const now = Date.now();
    for (const [key, { endsAt }] of windows) if (endsAt <= now) windows.delete(key);
  };
  setInterval(forgetEnded, windowMs / 10).unref();
  return {
    localKeys: true,
    increment: (key: string): IncrementResponse => {
      const now = Date.now();
      const known = windows.get(key);
      const window = known && known.endsAt > now ? known : { hits: 0, endsAt: now + windowMs };
      window.hits += weight();
      windows.set(key, window);
      return { totalHits: window.hits, resetTime: new Date(window.endsAt) };
    },
    /** Continues with the count of another store for this key. */
    adopt: (key: string, { totalHits, resetTime }: IncrementResponse): void => {
      windows.set(key, { hits: totalHits, endsAt: resetTime?.getTime() ?? Date.now() + windowMs });
    },
    ...neverTakenBack,
  };
}

export interface SharedCounter {
  /** Counts in all processes. Undefined if the processes cannot count together now. */
  increment(key: string): Promise<IncrementResponse | undefined>;
  /** Number of processes that share the counter, at least 1. */
  replicas(): number;
}

/**
 * A counter that is exact while the processes can count together. Otherwise each process continues from the last count
 * it saw. A request then counts once per process, so that all processes together admit the limit.
 */
export function sharedStore(shared: SharedCounter, windowMs: number): Store {
  const alone = memoryStore(windowMs, shared.replicas);
  return {
    localKeys: false,
    increment: async (key) => {
      const count = await shared.increment(key);
      if (!count) return alone.increment(key);
      alone.adopt(key, count);
      return count;
    },
    ...neverTakenBack,
  };
}
