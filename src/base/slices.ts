import { createRotation } from './queue.js';
import { withResolvers } from './resolvers.js';

/** How long one computation goes on before it is the next owner's turn, and how long all do in one turn of the event loop. */
const SLICE_MS = 0.25;
const TURN_MS = 0.5;

interface SliceOptions {
  /** Milliseconds. */
  now?: () => number;
  /** Calls back in the next turn of the event loop. */
  nextTurn?: (work: () => void) => void;
}

/** Does a computation of an owner that yields between its steps; resolves to what it returns. */
export type InSlices = <T>(owner: string, steps: Iterator<unknown, T>) => Promise<T>;

/**
 * Shares the event loop among long computations. What is short is done at once; the rest goes on a slice at a time, owner by owner in turn,
 * and a few slices in one turn of the event loop, however many computations there are: between them requests come in and answers go out.
 */
export function createSlices({ now = () => performance.now(), nextTurn = setImmediate }: SliceOptions = {}): InSlices {
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
    const { promise, resolve, reject } = withResolvers<T>();
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

/** Those of this process. */
export const inSlices = createSlices();
