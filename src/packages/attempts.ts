import type { DeliveryOutcome } from '../db/tables/movements.js';

// A movement may report a failed attempt to deliver, and the hours in which the carrier comes next
// (contracts/guides/behaviour.md#attempts). The attempts of a package do not depend on the order in which its movements
// arrive. A late movement is counted; it is the last attempt only if no other happened after it.

export interface DeliveryAttempt {
  outcome: DeliveryOutcome;
  /** `YYYY-MM-DD`: the day of the next attempt. Null if the carrier gave none. */
  nextOn: string | null;
}

/** Attempts of a package. Outcome and day belong to the attempt that happened last. */
export interface Attempts {
  /** Count of the attempts, without those that were not made (`not_attempted`). */
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

// An attempt with the names of the contracts.

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
