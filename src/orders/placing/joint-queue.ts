import { unavailable } from '../../base/errors.js';
import { createQueue, type QueueOptions, type Waiter } from '../../base/queue.js';
import { isLockTimeout } from '../../db/errors.js';

/** Work that is done in one transaction with other such work, whatever it belongs to. */
export interface JointWork {
  /** Whose turn it takes: owners are served in turn, one work of each at a time. */
  readonly owner: string;
  /** Rows that it takes, about. */
  readonly size: number;
  /** What it locks, and somebody else may have locked: its account, or its packages. */
  readonly locks: readonly string[];
}

interface JointQueueOptions<W, O> {
  /** How long work waits for its turn. */
  waitMs: number;
  /** What a batch holds at most; work that is larger goes alone. */
  most: { works: number; size: number };
  /** Work that goes alone at once: each may hold a connection for as long as a lock is waited for. */
  aloneAtOnce?: number;
  /**
   * Does a batch and resolves to what came of each: undefined where nothing was done, as a lock was not given within the limit, if there
   * is one. Never rejects.
   */
  write(works: readonly W[], lockTimeoutMs?: number): Promise<readonly (O | undefined)[]>;
}

export interface JointQueue<W, O> {
  /** Throws UNAVAILABLE when too much is under way, or the turn did not come in time. */
  settle(work: W): Promise<O>;
}

/**
 * What a request is told of an error of its work. One that went alone and waited for a lock in vain says nothing of others: the queue
 * keeps them apart from it.
 */
export const toldOf = (error: unknown): unknown => (isLockTimeout(error) ? unavailable(error) : error);

/** Batches that run at once in this process. */
const BATCHES_AT_ONCE = 1;
const LOCK_TIMEOUT_MS = 50;
const ALONE_AT_ONCE = 4;
/** Beyond this size work is refused at once, so that a slow database does not fill the memory. */
const MOST_UNDER_WAY = 10_000;
/** Locks that are remembered as set apart. */
const MOST_APART = 1_000;

interface Waiting<W, O> extends Waiter {
  work: W;
  /** Whether it was in a batch that waited for a lock. */
  wasLocked: boolean;
  resolve(outcome: O): void;
}

type Turns<W, O> = Parameters<QueueOptions<Waiting<W, O>>['next']>[0];

/**
 * Work that comes while a batch is done waits for the next one.
 *
 * A lock that a batch must wait for delays all of it, so it waits for 50 ms only. Then each work goes alone, and what they lock is set
 * apart: work that locks any of it goes alone, one at a time, until one has not had to wait. So a lock that somebody holds delays
 * nobody else.
 */
export function createJointQueue<W extends JointWork, O>(options: JointQueueOptions<W, O>): JointQueue<W, O> {
  const { waitMs, most, aloneAtOnce = ALONE_AT_ONCE, write } = options;
  const apart = new Set<string>();
  /** What the work that goes alone now locks. */
  const lockedAlone = new Set<string>();
  let sizeUnderWay = 0;

  const together = createQueue<Waiting<W, O>>({ atOnce: BATCHES_AT_ONCE, waitMs, next: nextBatch, run: runTogether });
  const alone = createQueue<Waiting<W, O>>({ atOnce: aloneAtOnce, waitMs, next: nextAlone, run: runAlone });

  /** As many as a batch may hold, one at least. No work overtakes another one of its owner. */
  function nextBatch(waiting: Turns<W, O>): Waiting<W, O>[] {
    const batch: Waiting<W, O>[] = [];
    const full = new Set<string>();
    let size = 0;
    const fits = ({ owner, work }: Waiting<W, O>): boolean => {
      if (batch.length > 0 && size + work.size > most.size) full.add(owner);
      return !full.has(owner);
    };
    while (batch.length < most.works) {
      const waiter = waiting.take(fits);
      if (!waiter) break;
      size += waiter.work.size;
      batch.push(waiter);
    }
    return batch;
  }

  async function runTogether(batch: readonly Waiting<W, O>[]): Promise<void> {
    const outcomes = await write(
      batch.map(({ work }) => work),
      LOCK_TIMEOUT_MS,
    );
    const locked = batch.filter((waiter, at) => !settled(waiter, outcomes[at]));
    for (const waiter of locked) setApart(waiter);
    alone.add(...locked);
  }

  function setApart(waiter: Waiting<W, O>): void {
    waiter.wasLocked = true;
    for (const lock of waiter.work.locks) apart.add(lock);
    for (const oldest of apart) {
      if (apart.size <= MOST_APART) break;
      apart.delete(oldest);
    }
  }

  /** The first one that locks nothing that is locked by one that goes alone. */
  function nextAlone(waiting: Turns<W, O>): Waiting<W, O>[] {
    return [waiting.take(({ work }) => !work.locks.some((lock) => lockedAlone.has(lock))) ?? []].flat();
  }

  async function runAlone(batch: readonly Waiting<W, O>[]): Promise<void> {
    for (const waiter of batch) {
      const { work } = waiter;
      const started = performance.now();
      for (const lock of work.locks) lockedAlone.add(lock);
      const [outcome] = await write([work]);
      for (const lock of work.locks) lockedAlone.delete(lock);
      if (performance.now() - started < LOCK_TIMEOUT_MS) rejoin(work);
      if (!settled(waiter, outcome)) waiter.reject(new RangeError('nothing came of work that went alone'));
    }
  }

  /** Those that have been in a batch that waited go alone still: the lock may be for one of them. */
  function rejoin({ locks }: W): void {
    for (const lock of locks) apart.delete(lock);
    together.add(...alone.withdraw(({ work, wasLocked }) => !wasLocked && !isApart(work)));
  }

  const isApart = ({ locks }: W): boolean => locks.some((lock) => apart.has(lock));

  return {
    settle: async (work) => {
      if (sizeUnderWay + work.size > MOST_UNDER_WAY) throw unavailable();
      sizeUnderWay += work.size;
      const outcome = new Promise<O>((resolve, reject) =>
        (isApart(work) ? alone : together).add({
          work,
          owner: work.owner,
          since: performance.now(),
          wasLocked: false,
          resolve,
          reject,
        }),
      );
      return outcome.finally(() => {
        sizeUnderWay -= work.size;
      });
    },
  };
}

function settled<W, O>({ resolve }: Waiting<W, O>, outcome: O | undefined): boolean {
  if (outcome !== undefined) resolve(outcome);
  return outcome !== undefined;
}
