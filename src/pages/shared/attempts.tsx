import { Choice } from '../design/forms.js';
import { deliveryOutcomes } from '../facts.js';
import { packageTexts as texts, valueWords } from '../texts.js';
import { type Bare, type RestSchemas, useVisit } from '../visit.js';
import { DateText, NumberText, Time, Word } from '../written.js';

// Failed attempts to deliver, for operators and shippers alike.

/** Writes a day as `30/11/2026`, in both languages. */
const dayText = (day: string): string => day.split('-').reverse().join('/');

/** Says the outcome of an attempt, and the day of the next attempt. */
export function attemptText({ outcome, next_on: day }: RestSchemas['Attempt'], { say }: Pick<Bare, 'say'>): string {
  const name = valueWords.attemptOutcomes[outcome];
  const next = day === undefined ? '' : `, ${say(texts.nextAttempt).toLowerCase()}: ${dayText(day)}`;
  return `${name ? say(name) : outcome}${next}`;
}

/** Says the number of attempts, the outcome of the last one, and the day of the next one. */
export function AttemptsText({ count, last_outcome: outcome, next_on: day }: RestSchemas['Attempts']) {
  const { say } = useVisit();
  const next = day !== undefined && [` · ${say(texts.nextAttempt)}: `, <DateText at={day} />];
  return (
    <span>{[<NumberText of={count} />, ' · ', <Word of={valueWords.attemptOutcomes} value={outcome} />, next]}</span>
  );
}

export const HoursText = ({ from, to }: RestSchemas['ExpectedWindow']) => (
  <span>{[<Time at={from} />, ' – ', <Time at={to} />]}</span>
);

/** Filters a list of packages by the outcome of their last attempt. */
export function AttemptChoice({ value = '' }: { value?: string | undefined }) {
  const outcomes = deliveryOutcomes.map((each) => [each, valueWords.attemptOutcomes[each] ?? each] as const);
  const options = [['', texts.anyAttempt], ...outcomes] as const;
  return <Choice name="attempt_outcome" label={texts.lastAttempt} value={value} options={options} />;
}
