/** Decides whether and when a request is sent again. It only computes, and reads no clock. */

/** The result of one try. */
export interface Outcome {
  /** Undefined if no answer came. */
  readonly status: number | undefined;
  /** Undefined if the answer does not come from the service, but from a proxy, for example. */
  readonly reason: string | undefined;
  /** Undefined if the answer has no Retry-After. */
  readonly retryAfterMs: number | undefined;
}

export interface Attempted {
  /** Number of tries so far, including this one. */
  readonly tries: number;
  /** Milliseconds since the first try began. */
  readonly elapsedMs: number;
  /** True if doing the request twice has the same effect as doing it once. */
  readonly isRepeatable: boolean;
}

export interface Limits {
  readonly maxRetries: number;
  /** Milliseconds after the first try in which another try may begin. */
  readonly maxRetryMs: number;
}

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 8_000;

/** Statuses of a proxy that did not pass the request on. */
const NOT_DONE = new Set([429, 503]);
/** Statuses of a proxy that does not know whether the request was done. */
const LOST = new Set([502, 504]);

export const isLost = ({ status, reason }: Pick<Outcome, 'status' | 'reason'>): boolean =>
  status === undefined || (reason === undefined && LOST.has(status));

/** Milliseconds to wait before the next try. Undefined if there is no next try. `random` is in [0, 1). */
export function pauseBefore(
  outcome: Outcome,
  attempted: Attempted,
  limits: Limits,
  random: number,
): number | undefined {
  if (attempted.tries > limits.maxRetries || !isWorthAnother(outcome, attempted)) return undefined;
  const backoff = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempted.tries - 1));
  const pause = Math.max(outcome.retryAfterMs ?? 0, backoff * (0.5 + random / 2));
  return attempted.elapsedMs + pause > limits.maxRetryMs ? undefined : pause;
}

function isWorthAnother(outcome: Outcome, { isRepeatable }: Attempted): boolean {
  if (isLost(outcome)) return isRepeatable;
  // The service sends Retry-After for every reason that makes a retry useful, also for reasons unknown to this version.
  if (outcome.reason !== undefined) return outcome.retryAfterMs !== undefined;
  return outcome.status !== undefined && NOT_DONE.has(outcome.status);
}
