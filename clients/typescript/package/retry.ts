/** Decides if a request is sent again, and when: arithmetic alone, without a clock. */

/** The end of a try. */
export interface Outcome {
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  readonly retryAfterMs: number;
  /** True when the answer is one that was stored for the idempotency key. */
  readonly isReplay: boolean;
}

export interface Attempted {
  /** Tries so far, this one included. */
  readonly tries: number;
  /** Since the first of them began. */
  readonly elapsedMs: number;
  /** True when doing it twice is doing it once. */
  readonly isRepeatable: boolean;
  /** True when it has an idempotency key. */
  readonly hasKey: boolean;
  /** True when an earlier try may have been done, though its answer was lost. */
  readonly mayBeDone: boolean;
}

export interface Limits {
  readonly maxRetries: number;
  /** No try begins later than this after the first one. */
  readonly maxRetryMs: number;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;

/** The service, or a proxy before it, has not done it. */
const NOT_DONE = new Set([429, 503]);
/** A proxy cannot know what became of it. */
const LOST = new Set([502, 504]);
const CONFLICT = 409;

export const isLost = ({ status }: Outcome): boolean => status === undefined || LOST.has(status);

/** Milliseconds to wait before the next try; undefined when this one was the last. `random` is in [0, 1). */
export function pauseBefore(
  outcome: Outcome,
  attempted: Attempted,
  limits: Limits,
  random: number,
): number | undefined {
  if (attempted.tries > limits.maxRetries || !isWorthAnother(outcome, attempted)) return undefined;
  const backoff = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempted.tries - 1));
  const pause = Math.max(outcome.retryAfterMs, backoff * (0.5 + random / 2));
  return attempted.elapsedMs + pause > limits.maxRetryMs ? undefined : pause;
}

function isWorthAnother(outcome: Outcome, { isRepeatable, hasKey, mayBeDone }: Attempted): boolean {
  if (isLost(outcome)) return isRepeatable;
  // The try whose answer was lost is still running: the key's answer comes when it has ended.
  if (outcome.status === CONFLICT) return hasKey && mayBeDone && !outcome.isReplay;
  return outcome.status !== undefined && NOT_DONE.has(outcome.status);
}
