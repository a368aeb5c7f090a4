import { Choice } from '../design/forms.js';
import { deliveryOutcomes } from '../facts.js';
import { packageTexts as texts, valueWords } from '../texts.js';
import { type Bare, type RestSchemas, useVisit } from '../visit.js';
import { DateText, NumberText, Time, Word } from '../written.js';

// Failed attempts to deliver, for operators and shippers alike.

/** `30/11/2026`, in both languages. */
const dayText = (day: string): string => day.split('-').reverse().join('/');

/** An attempt in a history: its outcome, and the day of the next one. */
export function attemptText({ outcome, next_on: day }: RestSchemas['Attempt'], { say }: Pick<Bare, 'say'>): string {
  const name = valueWords.attemptOutcomes[outcome];
  const next = day === undefined ? '' : `, ${say(texts.nextAttempt).toLowerCase()}: ${dayText(day)}`;
  return `${name ? say(name) : outcome}${next}`;
}

/** The number of attempts of a package, the outcome of the last one and the day of the next. */
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

/** Narrows a list of packages by the outcome of their last attempt. */
export function AttemptChoice({ value = '' }: { value?: string | undefined }) {
  const outcomes = deliveryOutcomes.map((each) => [each, valueWords.attemptOutcomes[each] ?? each] as const);
  const options = [['', texts.anyAttempt], ...outcomes] as const;
  return <Choice name="attempt_outcome" label={texts.lastAttempt} value={value} options={options} />;
}
