export interface PlanningLog {
  warn(o: object, m: string): void;
}

export interface PlanningWatcher {
  /** Called when the service was asked and gave no usable answer. */
  onFailure(service: string): void;
  /** Called when the embedded planner answered instead, in whole or in part. */
  onFallback(service: string): void;
}

interface FallbackOptions {
  service: string;
  log: PlanningLog;
  watcher?: PlanningWatcher | undefined;
  /** A clock in milliseconds. Only differences count. */
  now?: () => number;
}

export interface Fallback {
  isResting(): boolean;
  /** Returns the service's answer. Returns the embedded answer if the service fails, or has just failed. */
  ask<T>(remote: () => Promise<T>, embedded: () => T | Promise<T>): Promise<T>;
  /** Logs that the embedded planner replaced parts of a usable answer. `counts` has the number of parts by flaw. */
  notePartial(counts: Readonly<Record<string, number>>): void;
}

/** Pause after a failure in which the service is not asked. So a service that hangs does not slow down every order. */
const REST_MS = 5_000;
/** Least time between two log lines of a kind for a service. The next line has the counts of those in between. */
const LOG_INTERVAL_MS = 10_000;

/**
 * Thrown if an order has no time left for a service. The service need not have failed: the next order may ask it at
 * once.
 */
export class OutOfTimeError extends Error {
  override readonly name = 'OutOfTimeError';
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n')[0]?.slice(0, 200) ?? error.name) : String(error);

// A circuit breaker of a library would replace only `restsUntil`; the counted log would still be needed.
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

/** Creates a log that adds up counts. It writes the first line at once, then at most one every `LOG_INTERVAL_MS`. */
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
