import { unavailable } from '../errors.js';

/**
 * Waiting lines inside one process: a rotation of owners, a queue that runs its waiters in batches, and a gate that
 * lets single jobs in.
 */

/** Waiters by owner. Owners take turns; a served owner goes last. Each owner's waiters keep their order. */
interface Rotation<W extends { owner: string }> {
  add(waiter: W): void;
  /** Removes and returns the first accepted waiter of the first owner, in turn, that has one. */
  take(accept: (waiter: W) => boolean): W | undefined;
  /** Moves a served owner behind the owners that came meanwhile. */
  moveLast(owner: string): void;
  /** Removes and returns all waiters that fit. */
  withdraw(fits: (waiter: W) => boolean): W[];
  /** The first waiter of each owner. */
  firsts(): W[];
  /** Waiters of an owner, or of all owners. */
  count(owner?: string): number;
}

export function createRotation<W extends { owner: string }>(): Rotation<W> {
  /** Sorted by turn. */
  const byOwner = new Map<string, W[]>();
  return {
    add: (waiter) => {
      const waiters = byOwner.get(waiter.owner);
      if (waiters) waiters.push(waiter);
      else byOwner.set(waiter.owner, [waiter]);
    },
    take: (accept) => {
      for (const [owner, waiters] of byOwner) {
        const at = waiters.findIndex(accept);
        if (at < 0) continue;
        byOwner.delete(owner);
        const [waiter] = waiters.splice(at, 1);
        if (waiters.length > 0) byOwner.set(owner, waiters);
        return waiter;
      }
      return undefined;
    },
    moveLast: (owner) => {
      const waiters = byOwner.get(owner);
      if (!waiters) return;
      byOwner.delete(owner);
      byOwner.set(owner, waiters);
    },
    withdraw: (fits) => {
      const withdrawn: W[] = [];
      for (const [owner, waiters] of byOwner) {
        const left: W[] = [];
        for (const waiter of waiters) (fits(waiter) ? withdrawn : left).push(waiter);
        if (left.length > 0) byOwner.set(owner, left);
        else byOwner.delete(owner);
      }
      return withdrawn;
    },
    firsts: () => [...byOwner.values()].flatMap((waiters) => waiters.slice(0, 1)),
    count: (owner) =>
      owner === undefined
        ? [...byOwner.values()].reduce((sum, { length }) => sum + length, 0)
        : (byOwner.get(owner)?.length ?? 0),
  };
}

export interface Waiter {
  owner: string;
  /** Start of the wait, in the time of performance.now(). */
  since: number;
  reject(error: unknown): void;
}

export interface QueueOptions<W extends Waiter> {
  /** Most batches that run at once. */
  atOnce: number;
  /** Longest wait. After it a waiter is refused. */
  waitMs: number;
  /** Makes the error of a refusal. Default: UNAVAILABLE. */
  refusal?: () => Error;
  /** Removes and returns the next batch of the waiters. Empty if nothing may run now. */
  next(waiting: Pick<Rotation<W>, 'take'>): W[];
  /** Settles all waiters of a batch. Never rejects. */
  run(batch: readonly W[]): Promise<void>;
}

export interface Queue<W extends Waiter> {
  add(...waiters: W[]): void;
  withdraw(fits: (waiter: W) => boolean): W[];
  count(owner?: string): number;
}

/** Runs work in batches. With room, work starts at once; otherwise it joins the batch that starts when one ends. */
export function createQueue<W extends Waiter>(options: QueueOptions<W>): Queue<W> {
  const { atOnce, waitMs, refusal = unavailable, next, run } = options;
  const waiting = createRotation<W>();
  let running = 0;
  let timer: NodeJS.Timeout | undefined;

  /** One timer serves all waiters. It is set for the oldest waiter, and then again for the oldest one left. */
  function refuseInTime(): void {
    if (timer || waitMs === Number.POSITIVE_INFINITY) return;
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
    for (const { owner } of batch) waiting.moveLast(owner);
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
    add: (...waiters: W[]): void => {
      for (const waiter of waiters) waiting.add(waiter);
      start();
    },
    withdraw: waiting.withdraw,
    count: waiting.count,
  };
}

interface GateOptions {
  atOnce: number;
  /** Most jobs of one owner that run at once. Default: 1. */
  atOnceOfOwner?: number;
  /** Most waiters, of one owner and of all. Default: no limit. */
  maxWaiting?: number;
  maxWaitingOfOwner?: number;
  waitMs?: number;
  /** Makes the error if too many wait, or if a wait is too long. Default: UNAVAILABLE. */
  refusal?(full: 'owner' | 'all'): Error;
}

export interface Gate {
  enter(owner: string, signal?: AbortSignal): Promise<() => void>;
  demandRoom(owner: string): void;
  /** Does the work when it is the owner's turn. Throws the errors of `work` and `enter`. */
  pass<T>(owner: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
}

interface Entering extends Waiter {
  resolve(leave: () => void): void;
}

/** Creates a gate that lets jobs in one by one. Owners take turns. */
export function createGate(options: GateOptions): Gate {
  const { atOnce, atOnceOfOwner = 1, waitMs = Number.POSITIVE_INFINITY, refusal = () => unavailable() } = options;
  const { maxWaiting = Number.POSITIVE_INFINITY, maxWaitingOfOwner = maxWaiting } = options;
  const working = counts();
  const hasTurn = (owner: string): boolean => working.of(owner) < atOnceOfOwner;
  const queue = createQueue<Entering>({
    atOnce,
    waitMs,
    refusal: () => refusal('owner'),
    next: (waiting) => [waiting.take(({ owner }) => hasTurn(owner)) ?? []].flat(),
    run: async (batch) => {
      for (const { owner, resolve } of batch) {
        working.add(owner, 1);
        await new Promise<void>(resolve);
        working.add(owner, -1);
      }
    },
  });

  /** Throws the refusal that `enter` would throw at once. */
  function demandRoom(owner: string): void {
    if (working.all() < atOnce && hasTurn(owner)) return;
    if (queue.count(owner) >= maxWaitingOfOwner) throw refusal('owner');
    if (queue.count() >= maxWaiting) throw refusal('all');
  }

  /**
   * Waits for the owner's turn, and resolves to the function that leaves. Throws the refusal, or the reason of the
   * aborted signal.
   */
  async function enter(owner: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    demandRoom(owner);
    return waitIn(queue, owner, signal);
  }

  return {
    enter,
    demandRoom,
    pass: async <T>(owner: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> => {
      const leave = await enter(owner, signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

function waitIn(queue: Queue<Entering>, owner: string, signal: AbortSignal | undefined): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const entering: Entering = {
      owner,
      since: performance.now(),
      resolve: (leave) => {
        signal?.removeEventListener('abort', withdraw);
        resolve(leave);
      },
      reject,
    };
    const withdraw = (): void => {
      for (const { reject: refuse } of queue.withdraw((each) => each === entering)) refuse(signal?.reason);
    };
    signal?.addEventListener('abort', withdraw, { once: true });
    queue.add(entering);
  });
}

/** Counts by name. A name that is back at 0 takes no memory. */
export function counts() {
  const byName = new Map<string, number>();
  let sum = 0;
  const of = (name: string): number => byName.get(name) ?? 0;
  const add = (name: string, change: number): void => {
    const count = of(name) + change;
    sum += change;
    if (count > 0) byName.set(name, count);
    else byName.delete(name);
  };
  return { of, add, all: () => sum };
}
