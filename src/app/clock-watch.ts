import { sql } from 'kysely';
import { inBackground } from '../base/background.js';
import { clockAheadMs, setDatabaseTime } from '../base/clock.js';
import type { Logger } from '../base/log.js';
import type { Obstacle } from '../base/readiness.js';
import type { Db } from '../db/connect.js';
import { scalar } from '../db/one-row.js';

/** With a larger difference, tokens, certificates and times of this process are wrong. */
const MOST_OFF_MS = 900_000;
const EVERY_MS = 5_000;
/** A later answer does not say exactly enough when it was made. */
const LATE_MS = 1_000;

const obstacle: Obstacle = {
  reason: 'clock',
  text: "this machine's clock is more than 15 minutes from the database's",
};

/** Compares this machine's clock with the database's, now and every few seconds. Throws when the first look fails. */
export async function watchClock(db: Db, log: Logger) {
  const isRight = () => Math.abs(clockAheadMs()) <= MOST_OFF_MS;
  let wasRight = true;
  const look = async (latest: number) => {
    const { now, askedAt, answeredAt } = await timeOf(db);
    if (answeredAt - askedAt <= latest) setDatabaseTime(now, askedAt, answeredAt);
    const aheadSeconds = Math.round(clockAheadMs() / 1000);
    if (wasRight && !isRight()) log.error({ aheadSeconds }, `not ready, no webhook is sent: ${obstacle.text}`);
    if (!wasRight && isRight()) log.info({ aheadSeconds }, "this machine's clock is right again");
    wasRight = isRight();
  };
  await look(Number.POSITIVE_INFINITY);
  // Other checks say that the database does not answer.
  const again = () =>
    look(LATE_MS).then(
      () => EVERY_MS,
      () => EVERY_MS,
    );
  return {
    isRight,
    check: async (): Promise<Obstacle | undefined> => (isRight() ? undefined : obstacle),
    stop: inBackground(again, EVERY_MS),
  };
}

/** Asks over a connection that is open, so that the answer takes no longer than its way. */
async function timeOf(db: Db) {
  return db.connection().execute(async (connection) => {
    const askedAt = performance.now();
    const now = await scalar(connection, sql<Date>`clock_timestamp()`);
    return { now, askedAt, answeredAt: performance.now() };
  });
}
