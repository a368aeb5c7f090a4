import { createRotation } from './queue.js';

/** Milliseconds of a computation before another owner's turn, and of all computations in one turn of the event loop. */
const SLICE_MS = 0.25;
const TURN_MS = 0.5;

/** Runs an owner's computation, which yields between its steps. Resolves to its result. */
export type InSlices = <T>(owner: string, steps: Iterator<unknown, T>) => Promise<T>;

/** Shares the event loop among long computations, slice by slice and owner by owner. Short ones run at once. */
export function createSlices({
  now = () => performance.now(),
  nextTurn = (work: () => void): void => void setImmediate(work),
} = {}): InSlices {
  const unfinished = createRotation<{ owner: string; goOn: () => void }>();
  let isScheduled = false;

  function schedule(): void {
    if (!isScheduled) nextTurn(turn);
    isScheduled = true;
  }

  function turn(): void {
    isScheduled = false;
    const end = now() + TURN_MS;
    do {
      const next = unfinished.take(() => true);
      if (!next) return;
      next.goOn();
    } while (now() < end);
    schedule();
  }

  return <T>(owner: string, steps: Iterator<unknown, T>) => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const goOn = () => {
      const end = now() + SLICE_MS;
      try {
        do {
          const step = steps.next();
          if (step.done) return resolve(step.value);
        } while (now() < end);
      } catch (error) {
        return reject(error instanceof Error ? error : new Error(String(error)));
      }
      unfinished.add({ owner, goOn });
      schedule();
    };
    goOn();
    return promise;
  };
}

export const inSlices = createSlices();
