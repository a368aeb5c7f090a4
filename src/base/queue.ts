import { unavailable } from './errors.js';

/** Something that waits for its turn. */
export interface Waiter {
  /** When it began to wait, in performance.now()'s time. */
  since: number;
  reject(error: unknown): void;
}

export interface QueueOptions<W> {
  /** Batches that run at once at most. */
  atOnce: number;
  /** How long a waiter waits at most; then it is refused. */
  waitMs: number;
  /** Takes the next batch out of those that wait, in the order in which they came; none when nothing may run now. */
  next(waiting: W[]): W[];
  /** Settles all waiters of a batch; never rejects. */
  run(batch: readonly W[]): Promise<void>;
}

export interface Queue<W> {
  add(...waiters: W[]): void;
  /** Takes out those that wait and fit. */
  withdraw(fits: (waiter: W) => boolean): W[];
}

/**
 * Runs batches: what comes while there is room runs at once, and what comes meanwhile waits for the next end and goes on
 * together. So nothing waits for company, and the busier it is, the larger the batches are.
 */
export function createQueue<W extends Waiter>({ atOnce, waitMs, next, run }: QueueOptions<W>): Queue<W> {
  let waiting: W[] = [];
  let running = 0;
  let timer: NodeJS.Timeout | undefined;

  function withdraw(fits: (waiter: W) => boolean): W[] {
    const withdrawn = waiting.filter(fits);
    if (withdrawn.length > 0) waiting = waiting.filter((waiter) => !fits(waiter));
    return withdrawn;
  }

  /** One timer for all that wait: it is set for the first one, and then for the one that is first when it rings. */
  function refuseInTime(): void {
    const [first] = waiting;
    if (!first || timer) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        const latest = performance.now() - waitMs;
        for (const waiter of withdraw(({ since }) => since <= latest)) waiter.reject(unavailable());
        refuseInTime();
      },
      Math.max(0, first.since + waitMs - performance.now()),
    ).unref();
  }

  async function runNext(batch: W[]): Promise<void> {
    running += 1;
    await run(batch);
    running -= 1;
    start();
  }

  function start(): void {
    while (running < atOnce && waiting.length > 0) {
      const batch = next(waiting);
      if (batch.length === 0) break;
      void runNext(batch);
    }
    refuseInTime();
  }

  return {
    add: (...waiters) => {
      waiting.push(...waiters);
      start();
    },
    withdraw,
  };
}
