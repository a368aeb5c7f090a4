import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from './connect.js';
import { isLockTimeout, isRetryable } from './errors.js';

/** Thrown by work that did nothing, and knows that it may succeed when it runs again. */
export class RunAgainError extends Error {
  override name = 'RunAgainError';
}

const ATTEMPTS = 6;
const MAX_PAUSE_MS = 320;

/**
 * Runs `work` in a transaction: `db` where it is one, else a new one. A deadlock, a serialization failure or
 * `RunAgainError` runs it again, so it must only use the transaction that it is given.
 */
export async function transaction<T>(db: Db, work: (trx: Db) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : untilSettled(() => db.transaction().execute(work));
}

/** Like `transaction`, for work of one statement, which needs no begin and commit of its own. */
export async function atomic<T>(db: Db, statement: (db: Db) => Promise<T>): Promise<T> {
  return db.isTransaction ? statement(db) : untilSettled(() => statement(db));
}

const untilSettled = <T>(run: () => Promise<T>): Promise<T> =>
  again(run, ATTEMPTS, async (error, attempt) => {
    if (!(error instanceof RunAgainError || isRetryable(error))) throw error;
    // A random part of a bound that doubles, so that rivals drift apart.
    await sleep(Math.random() * Math.min(MAX_PAUSE_MS, 10 * 2 ** attempt));
  });

/** Tries again, after pauses of half a second or so, what a lock prevented. */
export const patiently = <T>(
  work: () => Promise<T>,
  { attempts = 60, waiting = (): void => undefined } = {},
): Promise<T> =>
  again(work, attempts, async (error) => {
    if (!(isLockTimeout(error) || isRetryable(error))) throw error;
    waiting();
    await sleep(200 + Math.random() * 700);
  });

/** Does work again after a failure, unless `pause` throws it. */
async function again<T>(
  work: () => Promise<T>,
  attempts: number,
  pause: (error: unknown, attempt: number) => Promise<void>,
): Promise<T> {
  for (let attempt = 1; attempt < attempts; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      await pause(error, attempt);
    }
  }
  return work();
}
