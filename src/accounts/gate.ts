import { unavailable } from '../base/errors.js';

export interface GateLimits {
  /** How many run at a time. */
  atOnce: number;
  /** How many may wait for their turn. */
  waiting: number;
}

/** Lets work run a few at a time, in order of arrival. */
export interface Gate {
  /** Throws `UNAVAILABLE` at once when too many are waiting already. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Throws `UNAVAILABLE` when `run` would: for those who have other work to do before. */
  demandRoom(): void;
}

export function createGate({ atOnce, waiting }: GateLimits): Gate {
  const queue: (() => void)[] = [];
  let running = 0;
  const demandRoom = () => {
    if (running >= atOnce && queue.length >= waiting) throw unavailable();
  };
  const enter = () => {
    if (running >= atOnce) return new Promise<void>((resolve) => queue.push(resolve));
    running += 1;
    return undefined;
  };
  // A place that becomes free is handed on, so that nobody overtakes those who wait.
  const leave = () => {
    const next = queue.shift();
    if (next) next();
    else running -= 1;
  };
  const run: Gate['run'] = async (work) => {
    demandRoom();
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
  return { run, demandRoom };
}
