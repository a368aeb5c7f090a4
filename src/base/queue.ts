import { type ServiceError, unavailable } from './errors.js';
import { createRotation, type Rotation } from './rotation.js';

/** Something that waits for its turn. */
export interface Waiter {
  /** Whose it is: owners are served in turn. */
  owner: string;
  /** When it began to wait, in performance.now()'s time. */
  since: number;
  reject(error: unknown): void;
}

export interface QueueOptions<W> {
  /** Batches that run at once at most. */
  atOnce: number;
  /** How long a waiter waits at most; then it is refused. */
  waitMs: number;
  /** What it is refused with; UNAVAILABLE when left out. */
  refusal?: () => ServiceError;
  /** Takes the next batch out of those that wait; none when nothing may run now. */
  next(waiting: Pick<Rotation<W>, 'take'>): W[];
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
export function createQueue<W extends Waiter>(options: QueueOptions<W>): Queue<W> {
  const { atOnce, waitMs, refusal = unavailable, next, run } = options;
  const waiting = createRotation<W>(({ owner }) => owner);
  let running = 0;
  let timer: NodeJS.Timeout | undefined;

  /** One timer for all that wait: it is set for the first one, and then for the one that is first when it rings. */
  function refuseInTime(): void {
    if (timer) return;
    const firsts = waiting.firsts();
    if (firsts.length === 0) return;
    const since = Math.min(...firsts.map((waiter) => waiter.since));
    timer = setTimeout(
      () => {
        timer = undefined;
        const latest = performance.now() - waitMs;
        for (const waiter of waiting.withdraw((each) => each.since <= latest)) waiter.reject(refusal());
        refuseInTime();
      },
      Math.max(0, since + waitMs - performance.now()),
    ).unref();
  }

  async function runNext(batch: W[]): Promise<void> {
    running += 1;
    await run(batch);
    running -= 1;
    start();
  }

  function start(): void {
    while (running < atOnce) {
      const batch = next(waiting);
      if (batch.length === 0) break;
      void runNext(batch);
    }
    refuseInTime();
  }

  return {
    add: (...waiters) => {
      for (const waiter of waiters) waiting.add(waiter);
      start();
    },
    withdraw: waiting.withdraw,
  };
}
