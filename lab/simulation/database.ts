import { between, type Random } from '../../test/support/random.js';
import type { Process, VirtualTime } from './virtual-time.js';

/** A row that one transaction at a time may lock. */
export interface Row {
  locked: boolean;
  waiting: (() => void)[];
}

/**
 * A statement as PostgreSQL runs it under READ COMMITTED: it reads as of its begin, locks, and is seen at its commit.
 */
export interface Statement {
  /** FOR UPDATE: waits for the row, but not for ever. */
  lock(row: Row): Promise<void>;
  /** FOR UPDATE SKIP LOCKED. */
  tryLock(row: Row): boolean;
}

/** Reads and locks, then answers what is to happen at the commit. */
export type Work<T> = (statement: Statement) => Promise<() => T> | (() => T);

export type FakeDatabase = ReturnType<typeof fakeDatabase>;

const LOCK_TIMEOUT_MS = 500;

export function fakeDatabase(time: VirtualTime, random: Random, lossRate: () => number) {
  let downUntil = 0;

  const assertUp = (): void => {
    if (time.now() < downUntil) throw new Error('the database is down');
  };

  const lock = async (row: Row, lockedRows: Row[]): Promise<void> => {
    if (row.locked) await wait(row);
    row.locked = true;
    lockedRows.push(row);
  };

  const wait = (row: Row): Promise<void> =>
    new Promise((resolve, reject) => {
      const take = () => {
        timer.action = undefined;
        row.locked = true;
        resolve();
      };
      const timer = time.after(LOCK_TIMEOUT_MS, () => {
        row.waiting = row.waiting.filter((each) => each !== take);
        reject(new Error('lock timeout'));
      });
      row.waiting.push(take);
    });

  /** Runs a statement that nobody's death can stop. */
  const execute = async <T>(work: Work<T>, ms = between(random, 0, 3)): Promise<T> => {
    assertUp();
    const lockedRows: Row[] = [];
    try {
      const commit = await work({
        lock: (row) => lock(row, lockedRows),
        tryLock: (row) => {
          if (row.locked) return false;
          row.locked = true;
          lockedRows.push(row);
          return true;
        },
      });
      await time.sleep(ms);
      assertUp();
      return commit();
    } finally {
      for (const row of lockedRows) {
        row.locked = false;
        row.waiting.shift()?.();
      }
    }
  };

  /** Runs a statement of a process: on the way there and back, anything can happen to either. */
  const call = async <T>(process: Process, work: Work<T>): Promise<T> => {
    await process.live();
    // Now and then a connection has to be waited for, or made.
    await time.sleep(random() < 0.03 ? between(random, 50, 900) : between(random, 0, 2));
    const outcome = await execute(work).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    await time.sleep(between(random, 0, 2));
    await process.live();
    if ('error' in outcome) throw outcome.error;
    if (random() < lossRate()) throw new Error('the connection was lost after the commit');
    return outcome.value;
  };

  return {
    execute,
    call,
    /** Nothing that has not been committed will be, until then. */
    failFor: (ms: number): void => {
      downUntil = time.now() + ms;
    },
  };
}
