import type { Logger } from '../../base/log.js';
import type { Db } from '../connect.js';
import { dropStaleBoundaries } from './convert.js';
import { makePartitions } from './partitions.js';

const PAUSE_MS = 3_600_000;
const PAUSE_AFTER_FAILURE_MS = 60_000;

/**
 * Makes the partitions that are missing, now and every hour; resolves once it has tried. There are enough beyond the present ones that
 * a failure matters to nobody for days. The function returned ends it.
 */
export async function keepPartitions(db: Db, log: Logger): Promise<() => Promise<void>> {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const run = async (): Promise<void> => {
    const pause = await tend(db, log).then(
      () => PAUSE_MS,
      (err) => {
        log.error({ err }, 'cannot make partitions');
        return PAUSE_AFTER_FAILURE_MS;
      },
    );
    if (!stopped) timer = setTimeout(go, pause).unref();
  };
  let running = run();
  function go(): void {
    running = run();
  }
  await running;
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}

async function tend(db: Db, log: Logger): Promise<void> {
  const made = await makePartitions(db);
  if (made.length > 0) log.info({ partitions: made }, 'made partitions');
  await dropStaleBoundaries(db);
}
