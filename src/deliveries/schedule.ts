import { classify, type Outcome } from './outcome.js';

/** What is sent: a body for the first time, one that the operator wants sent again, or a test. */
export type SendKind = 'delivery' | 'replay' | 'test';

/** Pauses after the first, second, … failed attempt, in ms; after the last of them nothing more is tried. */
export interface Schedule {
  readonly pausesMs: Readonly<Record<SendKind, readonly number[]>>;
  /** Each pause is stretched or shortened by up to this part of it. */
  readonly jitter: number;
  /** A receiver cannot put off an attempt by more. */
  readonly longestRetryAfterMs: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** contracts/guides/behaviour.md#webhook: ten attempts of a body. A replay is tried thrice, a test once. */
export const standardSchedule: Schedule = {
  pausesMs: {
    delivery: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
    replay: [5 * SECOND, 5 * MINUTE],
    test: [],
  },
  jitter: 0.2,
  longestRetryAfterMs: 24 * HOUR,
};

/**
 * What becomes of the body and its lane. `gone`: the receiver wants nothing more (410), so its endpoint is disabled and
 * the body stays.
 */
export type Verdict =
  | { kind: 'acknowledged' }
  | { kind: 'retry'; delayMs: number }
  | { kind: 'dead' }
  | { kind: 'gone' };

export interface Attempt {
  kind: SendKind;
  /** Which attempt of the body this was, from 1. */
  number: number;
  outcome: Outcome;
}

/** Decides after an attempt. `random` yields numbers in [0, 1); `now` is what an HTTP date in Retry-After is compared with. */
export function nextAttempt(schedule: Schedule, attempt: Attempt, random: () => number, now: Date): Verdict {
  const { kind, number, outcome } = attempt;
  if (classify(outcome) === 'acknowledged') return { kind: 'acknowledged' };
  if (outcome.kind === 'answered' && outcome.status === 410) return { kind: 'gone' };
  const pause = schedule.pausesMs[kind][number - 1];
  if (pause === undefined) return { kind: 'dead' };
  const jittered = pause * (1 + schedule.jitter * (2 * random() - 1));
  return { kind: 'retry', delayMs: Math.round(Math.max(jittered, askedPauseMs(schedule, outcome, now))) };
}

function askedPauseMs({ longestRetryAfterMs }: Schedule, outcome: Outcome, now: Date): number {
  const asked = outcome.kind === 'answered' ? retryAfterMs(outcome.retryAfter, now) : undefined;
  return Math.min(asked ?? 0, longestRetryAfterMs);
}

/** Retry-After in ms from `now` (RFC 9110, 10.2.3: seconds or an HTTP date); undefined when it is neither. */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text) * SECOND;
  // Date.parse takes far more than HTTP dates, which all begin with a day's name; the oldest form leaves GMT out.
  const dated = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text);
  const date = dated ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
