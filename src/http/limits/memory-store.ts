import type { IncrementResponse, Store } from 'express-rate-limit';

interface Window {
  hits: number;
  readonly endsAt: number;
}

interface MemoryStore extends Store {
  increment(key: string): IncrementResponse;
  /** Goes on from what another store has counted for this key. */
  adopt(key: string, count: IncrementResponse): void;
}

/**
 * Counters of fixed windows in this process; a request counts as `weight()` hits. The store of express-rate-limit hands
 * out its live counter, so that two requests in one tick both see the sum; this one admits exactly the limit.
 */
export function memoryStore(windowMs: number, weight = (): number => 1): MemoryStore {
  const windows = new Map<string, Window>();
  const timer = setInterval(() => {
    const now = Date.now();
    for (const [key, { endsAt }] of windows) if (endsAt <= now) windows.delete(key);
  }, windowMs / 10);
  timer.unref();
  const current = (key: string): Window | undefined => {
    const window = windows.get(key);
    return window && window.endsAt > Date.now() ? window : undefined;
  };
  const countIn = ({ hits, endsAt }: Window) => ({ totalHits: hits, resetTime: new Date(endsAt) });
  return {
    localKeys: true,
    increment: (key) => {
      const window = current(key) ?? { hits: 0, endsAt: Date.now() + windowMs };
      window.hits += weight();
      windows.set(key, window);
      return countIn(window);
    },
    adopt: (key, { totalHits, resetTime }) => {
      windows.set(key, { hits: totalHits, endsAt: resetTime?.getTime() ?? Date.now() + windowMs });
    },
    decrement: (key) => {
      const window = current(key);
      if (window) window.hits = Math.max(0, window.hits - weight());
    },
    resetKey: (key) => void windows.delete(key),
    resetAll: () => windows.clear(),
    shutdown: () => clearInterval(timer),
  };
}

/** One budget's counter that processes share. */
export interface SharedCounter {
  /** Undefined when the processes cannot count together now. */
  increment(key: string): Promise<IncrementResponse | undefined>;
  decrement(key: string): Promise<unknown>;
  resetKey(key: string): Promise<unknown>;
  /** Processes that share it, at least 1. */
  replicas(): number;
}

/**
 * One budget's counter, exact over all processes while they can count together. While they cannot, each goes on from
 * the last count that it saw, and a request weighs as many hits as there are processes, so that together they admit the
 * limit.
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
    decrement: async (key) => {
      alone.decrement(key);
      await shared.decrement(key);
    },
    resetKey: async (key) => {
      alone.resetKey(key);
      await shared.resetKey(key);
    },
    shutdown: () => alone.shutdown?.(),
  };
}
