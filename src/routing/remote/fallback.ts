export interface PlanningLog {
  warn(o: object, m: string): void;
}

interface FallbackOptions {
  /** The service as the log names it. */
  service: string;
  log: PlanningLog;
  /** Milliseconds; only its differences count. */
  now?: () => number;
}

/** After a failure the service is not asked for this long, so that a hanging one does not slow every order down. */
const REST_MS = 5_000;
/** At most one line per service in this time; the next one counts the fallbacks that were not logged. */
const LOG_INTERVAL_MS = 10_000;

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0]?.slice(0, 200) ?? error.name) : String(error);
}

/**
 * Asks a remote service first and answers by the embedded means when it fails or has just failed. The first fallback
 * is logged, then one line at most every 10 s with the number of fallbacks since. The circuit breaker is ours: a library's
 * would replace `restsUntil` alone, and the counted log would still be needed around it.
 */
export function withFallback({ service, log, now = Date.now }: FallbackOptions) {
  let restsUntil = Number.NEGATIVE_INFINITY;
  let logsFrom = Number.NEGATIVE_INFINITY;
  let fallbacks = 0;
  let reason = '';

  function report(): void {
    fallbacks++;
    if (now() < logsFrom) return;
    log.warn({ service, reason, fallbacks }, `${service} gives no usable answer; the embedded planner answers instead`);
    logsFrom = now() + LOG_INTERVAL_MS;
    fallbacks = 0;
  }

  return async function ask<T>(remote: () => Promise<T>, embedded: () => T | Promise<T>): Promise<T> {
    if (now() >= restsUntil) {
      try {
        return await remote();
      } catch (error) {
        reason = reasonOf(error);
        restsUntil = now() + REST_MS;
      }
    }
    report();
    return embedded();
  };
}

export type AskWithFallback = ReturnType<typeof withFallback>;
