import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from './connect.js';
import { isRetryable } from './errors.js';

/** Thrown by work that did nothing, and knows that it may succeed when it runs again. */
export class RunAgainError extends Error {
  override name = 'RunAgainError';
}

const ATTEMPTS = 6;
const LONGEST_PAUSE_MS = 320;

/**
 * Runs `work` in a transaction: `db` where it is one, else a new one. A deadlock, a serialization failure or
 * `RunAgainError` runs it again, so it must do nothing but use the transaction that it is given.
 */
export async function transaction<T>(db: Db, work: (trx: Db) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : untilSettled(() => db.transaction().execute(work));
}

/** Like `transaction`, for work of one statement, which needs no begin and commit of its own. */
export async function atomic<T>(db: Db, statement: (db: Db) => Promise<T>): Promise<T> {
  return db.isTransaction ? statement(db) : untilSettled(() => statement(db));
}

async function untilSettled<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof RunAgainError || isRetryable(error))) throw error;
      await sleep(pause(attempt));
    }
  }
  return run();
}

/** Milliseconds before the next attempt: a random part of a bound that doubles, so that rivals drift apart. */
function pause(attempt: number): number {
  return Math.random() * Math.min(LONGEST_PAUSE_MS, 10 * 2 ** attempt);
}
