import type { AttemptOutcome } from '../db/tables-deliveries.js';

/** What one request came to. `durationMs` is measured from its start to its end. */
export type Outcome = Answered | Unanswered;

/** The receiver answered; `body` is what is kept of the answer, read as UTF-8. */
export interface Answered {
  kind: 'answered';
  status: number;
  /** The header as it came. */
  retryAfter?: string;
  body: string;
  durationMs: number;
}

/** `not_sent`: it failed before any of the request left. `no_answer`: it may have reached the receiver. */
export interface Unanswered {
  kind: 'no_answer' | 'not_sent';
  /** Fit to be shown to the operator: no secret in it. */
  error: string;
  durationMs: number;
}

/** Only 200 and 201 acknowledge (contracts/guides/behaviour.md#webhook). */
export function classify(outcome: Outcome): AttemptOutcome {
  if (outcome.kind !== 'answered') return outcome.kind;
  return outcome.status === 200 || outcome.status === 201 ? 'acknowledged' : 'refused';
}
