import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../base/log.js';
import { isUnavailable } from './errors.js';

/** Does work that needs the database; while that is unavailable, again. The work must bear being done twice. */
export type Wait = <T>(work: () => Promise<T>) => Promise<T>;

const PAUSE_MS = 500;

/** The wait of a start. Throws the last error once the database is unavailable to one work for `waitSeconds`. */
export function waitOf(waitSeconds: number, log: Logger): Wait {
  return async (work) => {
    let deadline: number | undefined;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const last = deadline ?? performance.now() + 1000 * waitSeconds;
        if (!isUnavailable(error) || performance.now() + PAUSE_MS > last) throw error;
        const reason = error instanceof Error ? error.message : undefined;
        if (deadline === undefined) log.warn({ reason, waitSeconds }, 'waiting for the database');
        deadline = last;
      }
      await sleep(PAUSE_MS);
    }
  };
}
