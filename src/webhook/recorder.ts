import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../base/log.js';
import type { AttemptResult, Recorded } from '../deliveries/record.js';

export interface Recorder {
  /** Resolves once the result is written, or its lease has run out at `until` (in performance.now()'s time). */
  record(result: AttemptResult, until: number): Promise<Recorded>;
  /** Tries nothing again. */
  giveUp(): void;
}

interface Pending {
  result: AttemptResult;
  until: number;
  settle(recorded: Recorded): void;
}

const MOST_AT_ONCE = 256;
const PAUSE_MS = 200;

/**
 * Writes results together: those that come while a statement runs go with the next one, so that the number of statements
 * does not grow with the number of deliveries. While the database cannot be reached, results are kept and tried again.
 */
export function createRecorder(
  write: (results: readonly AttemptResult[]) => Promise<Recorded[]>,
  log: Logger,
): Recorder {
  let waiting: Pending[] = [];
  let running = false;
  let patient = true;

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST_AT_ONCE);
      waiting = waiting.slice(MOST_AT_ONCE);
      const failed = await attempt(batch);
      // One by one, lest one that cannot be written keeps the others from it.
      const again = failed.length > 1 ? await eachAlone(failed) : failed;
      waiting.push(...again.filter(keepOrSettle));
      if (again.length > 0) await sleep(PAUSE_MS);
    }
    running = false;
  };

  /** Those that could not be written. */
  const attempt = async (batch: readonly Pending[]): Promise<readonly Pending[]> => {
    try {
      const recorded = await write(batch.map(({ result }) => result));
      for (const [index, { settle }] of batch.entries()) settle(recorded[index] ?? { kind: 'lease-lost' });
      return [];
    } catch (err) {
      log.warn({ err, results: batch.length }, 'cannot record webhook attempts');
      return batch;
    }
  };

  const eachAlone = async (batch: readonly Pending[]): Promise<Pending[]> => {
    const failed: Pending[] = [];
    for (const pending of batch) failed.push(...(await attempt([pending])));
    return failed;
  };

  const keepOrSettle = ({ until, settle }: Pending): boolean => {
    if (patient && performance.now() < until) return true;
    settle({ kind: 'lease-lost' });
    return false;
  };

  const record = (result: AttemptResult, until: number): Promise<Recorded> =>
    new Promise((settle) => {
      waiting.push({ result, until, settle });
      if (running) return;
      running = true;
      setImmediate(() => void run());
    });

  return {
    record,
    giveUp: () => {
      patient = false;
    },
  };
}
