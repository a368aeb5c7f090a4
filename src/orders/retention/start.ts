import { inBackground } from '../../base/background.js';
import type { Logger } from '../../base/log.js';
import type { Db } from '../../db/connect.js';
import { dropOldOrders } from './old-orders.js';

interface RetentionOptions {
  /** Without a limit of time for statements. */
  db: Db;
  log: Logger;
  days: number;
}

const PAUSE_MS = 86_400_000;
const PAUSE_AFTER_FAILURE_MS = 600_000;

/** Drops old orders now and once a day; any number of processes may do so. The function returned ends it, after the step that runs. */
export function startRetention({ db, log, days }: RetentionOptions): () => Promise<void> {
  return inBackground((signal) =>
    dropOldOrders(db, days, () => signal.aborted).then(
      ({ dropped, kept }) => {
        if (dropped.length > 0) log.info({ partitions: dropped }, 'dropped old orders');
        if (kept.length > 0) log.warn({ partitions: kept }, 'kept old orders: not all of a partition can go');
        return PAUSE_MS;
      },
      (err) => {
        log.error({ err }, 'cannot drop old orders');
        return PAUSE_AFTER_FAILURE_MS;
      },
    ),
  );
}
