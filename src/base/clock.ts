export const HOUR_SECONDS = 3_600;
export const DAY_SECONDS = 24 * HOUR_SECONDS;
export const HOUR_MS = 1_000 * HOUR_SECONDS;
export const DAY_MS = 1_000 * DAY_SECONDS;

/** The source of the present time. Tests pass a clock that they move by hand. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/** The database's time when performance.now() was 0. Undefined until the database has told its time. */
let origin: number | undefined;
let knownAt = Number.NEGATIVE_INFINITY;

/**
 * Stores the database's time, which was read between two readings of performance.now(). Ignored if a later answer is
 * known.
 */
export function setDatabaseTime(now: Date, askedAt: number, answeredAt: number): void {
  if (askedAt < knownAt) return;
  knownAt = answeredAt;
  origin = now.getTime() - (askedAt + answeredAt) / 2;
}

/**
 * The present Unix milliseconds by the database's clock, continued by the monotonic clock. Before the first answer of
 * the database, by this machine's clock.
 */
export const databaseTime = (): number => (origin === undefined ? Date.now() : Math.floor(origin + performance.now()));

/** Milliseconds by which this machine's clock is ahead of the database's. Negative if it is behind. */
export const clockAheadMs = (): number => Date.now() - databaseTime();

/**
 * The first whole millisecond at or after an RFC 3339 time. The time is read to the microsecond, but records have whole
 * milliseconds.
 */
export function wholeMillisecond(time: string): Date {
  const finer = /\.\d{3}\d{0,2}[1-9]/.test(time) ? 1 : 0;
  return new Date(new Date(time).getTime() + finer);
}

/** Parses an optional RFC 3339 time of a request. */
export const toTime = (time: string | undefined): Date | undefined =>
  time === undefined ? undefined : wholeMillisecond(time);
