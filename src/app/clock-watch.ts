import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { clockAheadMs, setDatabaseTime } from '../base/clock.js';
import type { Logger } from '../base/log.js';
import type { Check, Obstacle } from '../base/readiness.js';
import type { Db } from '../db/connect.js';

/** Farther off than this, tokens, certificates and times of a process are wrong for whoever deals with it. */
const MOST_OFF_MS = 900_000;
const EVERY_MS = 5_000;
/** A later answer says too little of the time at which it was made. */
const LATE_MS = 1_000;

const obstacle: Obstacle = {
  reason: 'clock',
  text: "this machine's clock is more than 15 minutes from the database's",
};

interface ClockWatch {
  isRight(): boolean;
  check: Check;
  stop(): Promise<void>;
}

/** Learns the database's time, at once and again every few seconds, and compares this machine's clock with it. Throws when it cannot at first. */
export async function watchClock(db: Db, log: Logger): Promise<ClockWatch> {
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
  const stopping = new AbortController();
  const { signal } = stopping;
  const goOn = async (): Promise<void> => {
    while (!signal.aborted) {
      await sleep(EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      // That the database does not answer is told by others.
      if (!signal.aborted) await look(LATE_MS).catch(() => undefined);
    }
  };
  const running = goOn();
  return {
    isRight,
    check: async () => (isRight() ? undefined : obstacle),
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

/** Over a connection that is there, so that nobody else's work counts as the way of the answer. */
async function timeOf(db: Db) {
  return db.connection().execute(async (connection) => {
    const askedAt = performance.now();
    const time = sql<Date>`clock_timestamp()`.as('now');
    const { now } = await connection.selectNoFrom(time).executeTakeFirstOrThrow();
    return { now, askedAt, answeredAt: performance.now() };
  });
}
