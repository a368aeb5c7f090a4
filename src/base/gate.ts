/** Bounds of work that is expensive: how much of it is done at once, and how many wait for it. */
interface GateOptions {
  /** Works at once, each of another owner. */
  atOnce: number;
  mostWaiting: number;
  mostWaitingOfOwner: number;
  /** What is thrown when so many wait, of the owner or of all. */
  refusal(full: 'owner' | 'all'): Error;
}

export interface Gate {
  /**
   * Does the work when it is the owner's turn. Throws what it throws; the refusal when too many wait; the signal's
   * reason when that is aborted before its turn.
   */
  pass<T>(owner: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

interface Waiter {
  owner: string;
  start(): void;
}

/** A gate through which owners go one work at a time, in the order in which they come. */
export function createGate({ atOnce, mostWaiting, mostWaitingOfOwner, refusal }: GateOptions): Gate {
  const busy = new Set<string>();
  const waiting: Waiter[] = [];

  async function waitFor(owner: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (busy.size < atOnce && !busy.has(owner)) return void busy.add(owner);
    if (waiting.filter((each) => each.owner === owner).length >= mostWaitingOfOwner) throw refusal('owner');
    if (waiting.length >= mostWaiting) throw refusal('all');
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        waiting.splice(waiting.indexOf(waiter), 1);
        reject(signal.reason);
      };
      const start = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const waiter = { owner, start };
      waiting.push(waiter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** The owner's place goes to the first one that may have it. */
  function handOn(owner: string): void {
    busy.delete(owner);
    const at = waiting.findIndex((each) => !busy.has(each.owner));
    for (const next of at < 0 ? [] : waiting.splice(at, 1)) {
      busy.add(next.owner);
      next.start();
    }
  }

  return {
    pass: async (owner, signal, work) => {
      await waitFor(owner, signal);
      try {
        return await work();
      } finally {
        handOn(owner);
      }
    },
  };
}
