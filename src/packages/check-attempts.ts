import { DAY_MS, HOUR_MS } from '../base/clock.js';
import type { DeliveryAttempt } from './attempts.js';
import type { CatalogueStatus } from './catalogue.js';
import { type Instant, instantOf } from './instant.js';
import { type AcceptedMovement, type NewMovement, type PackageState, type Refusal, refusedField } from './movement.js';

/** The attempts of a package after another movement. The movement may have happened before others. */
export function attemptsAfter(state: PackageState, movement: AcceptedMovement): Partial<PackageState> {
  const { moved_attempt: outcome, moved_next_on: nextOn, happenedAt } = movement;
  if (outcome === null) return {};
  const attemptCount = state.attemptCount + (outcome === 'not_attempted' ? 0 : 1);
  if (state.attemptedAt !== null && happenedAt < state.attemptedAt) return { attemptCount };
  return { attemptCount, attemptOutcome: outcome, attemptNextOn: nextOn, attemptedAt: happenedAt };
}

const MAX_DAYS_AHEAD = 60;

/** The reason to refuse a movement's attempt or its expected hours, if there is one. */
export function misplacedAttempt(
  { attempt, expected }: NewMovement,
  reportedAt: Instant,
  status: CatalogueStatus,
): Refusal | undefined {
  const isOver = (field: string) => refusedField(field, 'not_allowed', 'is not allowed with a final status');
  if (attempt && status.final) return isOver('attempt');
  if (expected && status.final) return isOver('expected');
  return (attempt && wrongDay(attempt, reportedAt)) ?? (expected && wrongWindow(expected, reportedAt));
}

const farAhead = `lies more than ${MAX_DAYS_AHEAD} days after the movement`;

/** The day in São Paulo, which has had no summer time since 2019. */
const dayOf = (time: number): string => new Date(time - 3 * HOUR_MS).toISOString().slice(0, 10);

function wrongDay({ nextOn }: DeliveryAttempt, reportedAt: Instant): Refusal | undefined {
  if (nextOn === null) return undefined;
  const time = Date.parse(reportedAt);
  if (nextOn < dayOf(time)) return refusedField('attempt.nextOn', 'too_early', 'lies before the movement');
  if (nextOn > dayOf(time + MAX_DAYS_AHEAD * DAY_MS)) return refusedField('attempt.nextOn', 'too_late', farAhead);
  return undefined;
}

type ReportedWindow = NonNullable<NewMovement['expected']>;

function wrongWindow(reported: ReportedWindow, reportedAt: Instant): Refusal | undefined {
  const [from, to] = [instantOf(reported.from), instantOf(reported.to)];
  if (from === undefined) return refusedField('expected.from', 'pattern', 'must be a time');
  if (to === undefined) return refusedField('expected.to', 'pattern', 'must be a time');
  if (to <= from) return refusedField('expected.to', 'contradiction', 'must be after the beginning');
  if (to < reportedAt) return refusedField('expected.to', 'too_early', 'lies before the movement');
  const isFar = Date.parse(to) > Date.parse(reportedAt) + MAX_DAYS_AHEAD * DAY_MS;
  return isFar ? refusedField('expected.to', 'too_late', farAhead) : undefined;
}
