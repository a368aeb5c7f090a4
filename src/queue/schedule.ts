import type { AttemptOutcome } from '../db/tables/deliveries.js';

/**
 * The outcome of a request. `answered`: `body` is the stored part of the answer, read as UTF-8. `not_sent`: it failed
 * before any part of it left. `no_answer`: it may have reached the receiver. `error` contains no secret, because the
 * operator may see it.
 */
export type Outcome =
  | { kind: 'answered'; status: number; retryAfter?: string; body: string; durationMs: number }
  | { kind: 'no_answer' | 'not_sent'; error: string; durationMs: number };

/** Classifies an outcome. Only 200 and 201 acknowledge (contracts/guides/behaviour.md#webhook). */
export function classify(outcome: Outcome): AttemptOutcome {
  if (outcome.kind !== 'answered') return outcome.kind;
  return outcome.status === 200 || outcome.status === 201 ? 'acknowledged' : 'refused';
}

/** The reason for sending: movements, a request of the operator to send again, or a test. */
export type SendKind = 'delivery' | 'replay' | 'test';

/**
 * Pauses in milliseconds after the first, second, … failed attempt. The attempt after the last pause is the last
 * attempt.
 */
export interface Schedule {
  readonly pausesMs: Readonly<Record<SendKind, readonly number[]>>;
  /** The fraction by which a pause is made longer or shorter at most. */
  readonly jitter: number;
  /** The longest pause that a receiver can ask for. */
  readonly maxRetryAfterMs: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The standard schedule (contracts/guides/webhook.md#when-your-receiver-fails). */
export const standardSchedule: Schedule = {
  pausesMs: {
    delivery: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
    replay: [5 * SECOND, 5 * MINUTE],
    test: [],
  },
  jitter: 0.2,
  maxRetryAfterMs: 24 * HOUR,
};

/** The next step of a delivery and its lane. `gone` (status 410) disables the endpoint. */
export type Verdict =
  | { kind: 'acknowledged' }
  | { kind: 'retry'; delayMs: number }
  | { kind: 'dead' }
  | { kind: 'gone' };

export interface Attempt {
  kind: SendKind;
  /** Number of the attempt, from 1. */
  number: number;
  outcome: Outcome;
}

/**
 * Decides the next step after an attempt. `random` returns numbers in [0, 1). `now` is needed because Retry-After may
 * be a date.
 */
export function nextAttempt(schedule: Schedule, attempt: Attempt, random: () => number, now: Date): Verdict {
  const { kind, number, outcome } = attempt;
  if (classify(outcome) === 'acknowledged') return { kind: 'acknowledged' };
  if (outcome.kind === 'answered' && outcome.status === 410) return { kind: 'gone' };
  const pause = schedule.pausesMs[kind][number - 1];
  if (pause === undefined) return { kind: 'dead' };
  const jittered = pause * (1 + schedule.jitter * (2 * random() - 1));
  return { kind: 'retry', delayMs: Math.round(Math.max(jittered, requestedPauseMs(schedule, outcome, now))) };
}

function requestedPauseMs({ maxRetryAfterMs }: Schedule, outcome: Outcome, now: Date): number {
  const pauseMs = outcome.kind === 'answered' ? retryAfterMs(outcome.retryAfter, now) : undefined;
  return Math.min(pauseMs ?? 0, maxRetryAfterMs);
}

/** Milliseconds from `now` to Retry-After (RFC 9110, 10.2.3: seconds or an HTTP date). Undefined for other texts. */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text) * SECOND;
  // Date.parse accepts much more than HTTP dates. These all begin with the name of a day; the oldest form lacks GMT.
  const isHttpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text);
  const date = isHttpDate ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
