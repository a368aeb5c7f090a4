import { unavailable } from '../../base/errors.js';
import { createQueue, type Queue, type QueueOptions, type Waiter } from '../../base/turns/queue.js';
import { isLockTimeout, isUnavailable } from '../../db/errors.js';

export interface JointWork {
  readonly owner: string;
  readonly size: number;
  /** Names of locks that others may hold: of the account, or of the packages. */
  readonly locks: readonly string[];
}

interface JointQueueOptions<W, O> {
  waitMs: number;
  /** Most works, and most size, in a batch. */
  max: {
    works: number;
    size: number;
  };
  onBatch?(works: readonly W[]): void;
  /** Writes a batch. Resolves to one outcome per work; rejects if nothing was done. */
  write(works: readonly W[], lockTimeoutMs?: number): Promise<readonly O[]>;
}

export interface JointQueue<W, O> {
  /** Throws UNAVAILABLE if too much work is under way, or if the turn or a lock did not come in time. */
  submit(work: W): Promise<O>;
}

/** The error that a client gets. A lock timeout becomes UNAVAILABLE: it does not mean that the database fails. */
export const clientErrorOf = (error: unknown): unknown => (isLockTimeout(error) ? unavailable(error) : error);

const BATCHES_AT_ONCE = 1;
const LOCK_TIMEOUT_MS = 50;
/** Most works that go alone at once. Each may hold a connection for as long as it waits for a lock. */
const ALONE_AT_ONCE = 4;
/** Most size under way. Further work is refused at once, so a slow database does not fill the memory. */
const MAX_UNDER_WAY = 10_000;
const MAX_APART = 1_000;

interface Waiting<W, O> extends Waiter {
  work: W;
  /** True if it was in a batch that waited for a lock. */
  wasLocked: boolean;
  resolve(outcome: O): void;
}

type Turns<W, O> = Parameters<QueueOptions<Waiting<W, O>>['next']>[0];

/**
 * A queue that writes works in batches. Work that comes while a batch is written joins the next one. A lock that a
 * batch waits for delays all of it, so it waits only 50 ms. Then its works go alone, and their locks are set apart.
 * Work that needs such a lock goes alone, one at a time, until one work did not have to wait.
 * Model: OrdersTogether!Come (lab/models)
 */
export function createJointQueue<W extends JointWork, O>(options: JointQueueOptions<W, O>): JointQueue<W, O> {
  const { waitMs, max, onBatch, write } = options;
  const apart = createApart();
  let sizeUnderWay = 0;

  const together = createQueue<Waiting<W, O>>({
    atOnce: BATCHES_AT_ONCE,
    waitMs,
    next: (waiting) => nextBatch(waiting, max),
    run: async (batch) => {
      onBatch?.(worksOf(batch));
      const locked = await settleTogether(batch, write);
      for (const waiter of locked) {
        waiter.wasLocked = true;
        apart.add(waiter.work);
      }
      alone.add(...locked);
    },
  });
  // Work from a batch that waited stays alone, because the lock may be its own.
  const alone = createLoneQueue(options, (work) => {
    apart.delete(work);
    together.add(...alone.withdraw((waiter) => !waiter.wasLocked && !apart.has(waiter.work)));
  });

  return {
    submit: (work) => {
      if (sizeUnderWay + work.size > MAX_UNDER_WAY) return Promise.reject(unavailable());
      sizeUnderWay += work.size;
      const outcome = new Promise<O>((resolve, reject) => {
        const waiter = { work, owner: work.owner, since: performance.now(), wasLocked: false, resolve, reject };
        (apart.has(work) ? alone : together).add(waiter);
      });
      return outcome.finally(() => {
        sizeUnderWay -= work.size;
      });
    },
  };
}

const worksOf = <W, O>(batch: readonly Waiting<W, O>[]): W[] => batch.map(({ work }) => work);

/**
 * Writes a batch. If it is refused, tries its halves, so that a bad work fails alone. Resolves to the works that wait
 * for a lock.
 * Model: OrdersTogether!Halve, OrdersTogether!SetApart (lab/models)
 */
async function settleTogether<W, O>(
  batch: readonly Waiting<W, O>[],
  write: JointQueueOptions<W, O>['write'],
): Promise<readonly Waiting<W, O>[]> {
  try {
    settleAll(batch, await write(worksOf(batch), LOCK_TIMEOUT_MS));
    return [];
  } catch (error) {
    if (isLockTimeout(error)) return batch;
    if (batch.length === 1 || isUnavailable(error)) {
      for (const waiter of batch) waiter.reject(error);
      return [];
    }
  }
  const half = Math.ceil(batch.length / 2);
  return [...(await settleTogether(batch.slice(0, half), write)), ...(await settleTogether(batch.slice(half), write))];
}

/** A queue for single works, one at a time per lock. Calls `onFree` after a work that did not wait for its locks. */
function createLoneQueue<W extends JointWork, O>(
  { waitMs, onBatch, write }: JointQueueOptions<W, O>,
  onFree: (work: W) => void,
): Queue<Waiting<W, O>> {
  const locked = new Set<string>();
  const isFree = ({ work }: Waiting<W, O>): boolean => !work.locks.some((lock) => locked.has(lock));

  async function run(batch: readonly Waiting<W, O>[]): Promise<void> {
    for (const waiter of batch) {
      const { work } = waiter;
      onBatch?.([work]);
      for (const lock of work.locks) locked.add(lock);
      const hasWaited = await settleAlone(waiter, write);
      for (const lock of work.locks) locked.delete(lock);
      if (!hasWaited) onFree(work);
    }
  }

  return createQueue({ atOnce: ALONE_AT_ONCE, waitMs, next: (waiting) => [waiting.take(isFree) ?? []].flat(), run });
}

/**
 * Tries with the lock timeout of a batch, then with the timeout of the connection. Resolves to true if the first timed
 * out.
 * Model: OrdersTogether!GiveUp (lab/models)
 */
async function settleAlone<W, O>(waiter: Waiting<W, O>, write: JointQueueOptions<W, O>['write']): Promise<boolean> {
  const attempt = async (limitMs?: number) => settleAll([waiter], await write([waiter.work], limitMs));
  const reject = (error: unknown) => waiter.reject(clientErrorOf(error));
  let hasWaited = false;
  await attempt(LOCK_TIMEOUT_MS).catch((error: unknown) => {
    hasWaited = isLockTimeout(error);
    return hasWaited ? attempt().catch(reject) : reject(error);
  });
  return hasWaited;
}

/**
 * Takes as many works as fit into a batch, at least one. No work overtakes an earlier one of its owner.
 * Model: OrdersTogether!Begin (lab/models)
 */
function nextBatch<W extends JointWork, O>(waiting: Turns<W, O>, max: JointQueueOptions<W, O>['max']): Waiting<W, O>[] {
  const batch: Waiting<W, O>[] = [];
  const full = new Set<string>();
  let size = 0;
  const fits = ({ owner, work }: Waiting<W, O>): boolean => {
    if (batch.length > 0 && size + work.size > max.size) full.add(owner);
    return !full.has(owner);
  };
  while (batch.length < max.works) {
    const waiter = waiting.take(fits);
    if (!waiter) break;
    size += waiter.work.size;
    batch.push(waiter);
  }
  return batch;
}

function settleAll<W, O>(batch: readonly Waiting<W, O>[], outcomes: readonly O[]): void {
  for (const [at, { resolve, reject }] of batch.entries()) {
    const outcome = outcomes[at];
    if (outcome === undefined) reject(new RangeError('a work came to nothing'));
    else resolve(outcome);
  }
}

/** The set of locks that are set apart. Beyond a thousand it forgets the oldest. */
function createApart() {
  const apart = new Set<string>();
  return {
    has: ({ locks }: JointWork): boolean => locks.some((lock) => apart.has(lock)),
    add: ({ locks }: JointWork): void => {
      for (const lock of locks) apart.add(lock);
      for (const oldest of apart) {
        if (apart.size <= MAX_APART) break;
        apart.delete(oldest);
      }
    },
    delete: ({ locks }: JointWork): void => {
      for (const lock of locks) apart.delete(lock);
    },
  };
}
