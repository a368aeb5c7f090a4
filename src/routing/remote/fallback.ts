export interface PlanningLog {
  warn(o: object, m: string): void;
}

export interface PlanningWatcher {
  /** The service was asked, and gave no usable answer. */
  onFailure(service: string): void;
  /** The embedded planner answered instead, in whole or in part. */
  onFallback(service: string): void;
}

interface FallbackOptions {
  service: string;
  log: PlanningLog;
  watcher?: PlanningWatcher | undefined;
  /** Milliseconds; only its differences count. */
  now?: () => number;
}

export interface Fallback {
  isResting(): boolean;
  /** The service's answer; the embedded one when the service fails or has just failed. */
  ask<T>(remote: () => Promise<T>, embedded: () => T | Promise<T>): Promise<T>;
  /** Counts, by flaw, the parts of a usable answer that the embedded planner replaced. */
  notePartial(counts: Readonly<Record<string, number>>): void;
}

/** After a failure the service is not asked for this long, so that a hanging one does not slow every order down. */
const REST_MS = 5_000;
/** At most one line of a kind per service in this time; the next one counts the others. */
const LOG_INTERVAL_MS = 10_000;

/** An order has no more time for a service, which need not have failed: the next order may ask it at once. */
export class OutOfTimeError extends Error {
  override readonly name = 'OutOfTimeError';
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n')[0]?.slice(0, 200) ?? error.name) : String(error);

// A library's circuit breaker would replace `restsUntil` alone; the counted log would still be needed around it.
export function withFallback({ service, log, watcher, now = Date.now }: FallbackOptions): Fallback {
  let restsUntil = Number.NEGATIVE_INFINITY;
  let reason = '';
  const countedLog = (event: string) => countedWarning((fields) => log.warn({ service, ...fields }, event), now);
  const warnOfFallback = countedLog('planning.fallback');
  const warnOfParts = countedLog('planning.answer_incomplete');
  const isResting = (): boolean => now() < restsUntil;
  return {
    isResting,
    async ask<T>(remote: () => Promise<T>, embedded: () => T | Promise<T>): Promise<T> {
      if (!isResting()) {
        try {
          return await remote();
        } catch (error) {
          watcher?.onFailure(service);
          if (!isResting()) reason = reasonOf(error);
          if (!(error instanceof OutOfTimeError)) restsUntil = now() + REST_MS;
        }
      }
      watcher?.onFallback(service);
      warnOfFallback({ fallbacks: 1 }, { reason });
      return embedded();
    },
    notePartial: (counts: Readonly<Record<string, number>>): void => {
      watcher?.onFallback(service);
      warnOfParts({ ...counts, fallbacks: 1 });
    },
  };
}

/** Adds up counts and logs them: at once, then at most every `LOG_INTERVAL_MS`. */
function countedWarning(log: (fields: object) => void, now: () => number) {
  let logsFrom = Number.NEGATIVE_INFINITY;
  let sums: Record<string, number> = {};
  return (counts: Readonly<Record<string, number>>, texts: object = {}): void => {
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
    if (now() < logsFrom) return;
    log({ ...texts, ...sums });
    logsFrom = now() + LOG_INTERVAL_MS;
    sums = {};
  };
}
