import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from './connect.js';
import { isLockTimeout, isRetryable } from './errors.js';

/** Thrown by work that did nothing, and that may succeed when it runs again. */
export class RunAgainError extends Error {
  override name = 'RunAgainError';
}

const ATTEMPTS = 6;
const MAX_PAUSE_MS = 320;

/**
 * Runs `work` in `db` if that is a transaction, otherwise in a new transaction. A deadlock, a serialization failure or
 * `RunAgainError` runs it again. So `work` must use only the given transaction.
 */
export async function transaction<T>(db: Db, work: (trx: Db) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : untilSettled(() => db.transaction().execute(work));
}

/** Runs work of a single statement, which needs no begin and commit. Otherwise like `transaction`. */
export async function atomic<T>(db: Db, statement: (db: Db) => Promise<T>): Promise<T> {
  return db.isTransaction ? statement(db) : untilSettled(() => statement(db));
}

const untilSettled = <T>(run: () => Promise<T>): Promise<T> =>
  again(run, ATTEMPTS, async (error, attempt) => {
    if (!(error instanceof RunAgainError || isRetryable(error))) throw error;
    // The pause is random, below a bound that doubles, so that rivals do not meet again.
    await sleep(Math.random() * Math.min(MAX_PAUSE_MS, 10 * 2 ** attempt));
  });

/** Repeats work that a lock prevented, after pauses of about half a second. */
export const patiently = <T>(
  work: () => Promise<T>,
  { attempts = 60, waiting = (): void => undefined } = {},
): Promise<T> =>
  again(work, attempts, async (error) => {
    if (!(isLockTimeout(error) || isRetryable(error))) throw error;
    waiting();
    await sleep(200 + Math.random() * 700);
  });

/** Repeats work after a failure, unless `pause` throws the failure. */
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
