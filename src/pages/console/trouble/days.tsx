import { Section } from '../../design/pieces.js';
import { Plot } from '../../design/plots.js';
import { type Column, Table } from '../../design/tables.js';
import { type Text, todayTexts as texts } from '../../texts.js';
import { type Schemas, useVisit } from '../../visit.js';
import { DateText, NumberText } from '../../written.js';

type Day = Schemas['PastDay'];

interface Measure {
  name: Text;
  /** The value of a day. Undefined on a day without packages to count. */
  measure: (day: Day) => number | undefined;
  unit?: string;
  /** The largest value of the axis. */
  full?: number;
}

const percent = (part: number, all: number): number | undefined =>
  all === 0 ? undefined : Math.round((100 * part) / all);

const measures: readonly Measure[] = [
  { name: texts.orders, measure: ({ orders }) => orders },
  { name: texts.onTime, measure: ({ on_time, packages }) => percent(on_time, packages), unit: ' %', full: 100 },
  {
    name: texts.firstAttempt,
    measure: ({ first_attempt, delivered }) => percent(first_attempt, delivered),
    unit: ' %',
    full: 100,
  },
];

const columns: readonly Column<Day>[] = [
  [texts.day, ({ date }) => <DateText at={date} />],
  [texts.orders, ({ orders }) => <NumberText of={orders} />, 'number'],
  [texts.promised, ({ packages }) => <NumberText of={packages} />, 'number'],
  [texts.deliveredOfThem, ({ delivered }) => <NumberText of={delivered} />, 'number'],
  ...measures.slice(1).map(
    ({ name, measure, unit }): Column<Day> => [
      name,
      (day) => {
        const value = measure(day);
        return value === undefined ? '–' : [<NumberText of={value} />, unit];
      },
      'number',
    ],
  ),
];

/** Writes `2026-11-18` as `18/11`. */
const shortDate = (date: string): string => `${date.slice(8)}/${date.slice(5, 7)}`;

/** Shows the results of past days as plots and as a table. */
export function Days({ days }: { days: readonly Day[] }) {
  const { say } = useVisit();
  return (
    <Section title={texts.days}>
      <div class="plots">
        {measures.map(({ measure, ...plot }) => (
          <Plot {...plot} bars={days.map((day) => ({ label: shortDate(day.date), value: measure(day) }))} />
        ))}
      </div>
      <details>
        <summary>{say(texts.asTable)}</summary>
        <p class="hint">{say(texts.ratesOf)}</p>
        <Table caption={texts.days} rows={days} columns={columns} />
      </details>
    </Section>
  );
}
