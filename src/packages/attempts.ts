import type { DeliveryOutcome } from '../db/tables/movements.js';

// A movement may report a failed attempt to deliver, and the hours in which the carrier comes next
// (contracts/guides/behaviour.md#attempts). The attempts of a package follow from its movements in whatever order they
// arrive: a late one is counted, and is the last one only if none happened after it.

export interface DeliveryAttempt {
  outcome: DeliveryOutcome;
  /** YYYY-MM-DD: the day of the next attempt, where the carrier said one. */
  nextOn: string | null;
}

/** Attempts of a package; the outcome and the day are those of the attempt that happened last. */
export interface Attempts {
  /** Without those that were not made (`not_attempted`). */
  count: number;
  lastOutcome: DeliveryOutcome;
  nextOn: string | null;
}

/** Hours in which the carrier expects to deliver. */
export interface Expected {
  from: Date;
  to: Date;
}

interface AttemptColumns {
  attempt_count: number | null;
  attempt_outcome: DeliveryOutcome | null;
  attempt_next_on: string | null;
}

export const attemptsOf = (row: AttemptColumns): Attempts | null =>
  row.attempt_outcome && {
    count: row.attempt_count ?? 0,
    lastOutcome: row.attempt_outcome,
    nextOn: row.attempt_next_on,
  };

// In the contracts' names.

export const deliveryAttemptBody = ({ outcome, nextOn }: DeliveryAttempt) => ({
  outcome,
  next_on: nextOn ?? undefined,
});

export const attemptsBody = ({ count, lastOutcome, nextOn }: Attempts) => ({
  count,
  last_outcome: lastOutcome,
  next_on: nextOn ?? undefined,
});

export const windowBody = ({ from, to }: Expected) => ({ from: from.toISOString(), to: to.toISOString() });
