import type { Store } from 'express-rate-limit';

interface Window {
  hits: number;
  readonly endsAt: number;
}

/**
 * Counters of fixed windows in this process. The store that express-rate-limit brings hands out its live counter, so
 * of two requests in one tick both see the sum; this one answers each its own number, and so admits exactly the limit.
 */
export function memoryStore(windowMs: number): Store {
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
  const seen = ({ hits, endsAt }: Window) => ({ totalHits: hits, resetTime: new Date(endsAt) });
  return {
    localKeys: true,
    increment: (key) => {
      const window = current(key) ?? { hits: 0, endsAt: Date.now() + windowMs };
      window.hits += 1;
      windows.set(key, window);
      return seen(window);
    },
    decrement: (key) => {
      const window = current(key);
      if (window && window.hits > 0) window.hits -= 1;
    },
    resetKey: (key) => void windows.delete(key),
    resetAll: () => windows.clear(),
    shutdown: () => clearInterval(timer),
  };
}
