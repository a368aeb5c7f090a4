import type { IncrementResponse, Store } from 'express-rate-limit';
import { memoryStore } from './memory-store.js';

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
