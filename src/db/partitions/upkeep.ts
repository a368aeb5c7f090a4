import { inBackground } from '../../base/background.js';
import type { Logger } from '../../base/log.js';
import type { Db } from '../connect.js';
import { dropStaleBoundaries } from './convert.js';
import { makePartitions } from './partitions.js';

const PAUSE_MS = 3_600_000;
const PAUSE_AFTER_FAILURE_MS = 60_000;

/** Makes missing partitions, now and every hour. There are enough for days, so a failure is only logged. */
export async function keepPartitions(db: Db, log: Logger): Promise<() => Promise<void>> {
  const round = () =>
    tend(db, log).then(
      () => PAUSE_MS,
      (err) => {
        log.error({ err }, 'cannot make partitions');
        return PAUSE_AFTER_FAILURE_MS;
      },
    );
  return inBackground(round, await round());
}

async function tend(db: Db, log: Logger): Promise<void> {
  const made = await makePartitions(db);
  if (made.length > 0) log.info({ partitions: made }, 'made partitions');
  await dropStaleBoundaries(db);
}
