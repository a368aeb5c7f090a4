import type { IncrementResponse, Store } from 'express-rate-limit';

/** Parts that express-rate-limit asks of a store and never calls: every request counts. */
const neverTakenBack = { decrement: () => undefined, resetKey: () => undefined };

/**
 * Counters of fixed windows in this process; a request counts as `weight()` hits. The store of express-rate-limit hands
 * out its live counter, so that two requests in one tick both see the sum; this one admits exactly the limit.
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
    /** Continues from another store's count for this key. */
    adopt: (key: string, { totalHits, resetTime }: IncrementResponse): void => {
      windows.set(key, { hits: totalHits, endsAt: resetTime?.getTime() ?? Date.now() + windowMs });
    },
    ...neverTakenBack,
  };
}

export interface SharedCounter {
  /** Undefined when the processes cannot count together now. */
  increment(key: string): Promise<IncrementResponse | undefined>;
  /** Processes that share it, at least 1. */
  replicas(): number;
}

/**
 * A counter that is exact while processes can count together. While they cannot, each goes on from the last count that
 * it saw, and a request weighs as many hits as there are processes, so that together they admit the limit.
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
