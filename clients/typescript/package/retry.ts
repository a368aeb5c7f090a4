/** Decides if a request is sent again, and when: arithmetic alone, without a clock. */

/** The end of a try. */
export interface Outcome {
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  /** Undefined when the answer is not the service's, such as a proxy's. */
  readonly reason: string | undefined;
  /** Undefined when the answer says nothing of it. */
  readonly retryAfterMs: number | undefined;
}

export interface Attempted {
  /** Tries so far, this one included. */
  readonly tries: number;
  /** Since the first of them began. */
  readonly elapsedMs: number;
  /** True when doing it twice is doing it once. */
  readonly isRepeatable: boolean;
}

export interface Limits {
  readonly maxRetries: number;
  /** No try begins later than this after the first one. */
  readonly maxRetryMs: number;
}

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 8_000;

/** A proxy has not passed it on. */
const NOT_DONE = new Set([429, 503]);
/** A proxy cannot know what became of it. */
const LOST = new Set([502, 504]);

export const isLost = ({ status, reason }: Pick<Outcome, 'status' | 'reason'>): boolean =>
  status === undefined || (reason === undefined && LOST.has(status));

/** Milliseconds to wait before the next try; undefined when this one was the last. `random` is in [0, 1). */
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
  // The reasons for which repeating makes sense come with Retry-After, also those that this version does not know.
  if (outcome.reason !== undefined) return outcome.retryAfterMs !== undefined;
  return outcome.status !== undefined && NOT_DONE.has(outcome.status);
}
