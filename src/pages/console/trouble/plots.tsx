import type { Text } from '../../language.js';
import { DateText } from '../../times.js';
import { Section, useVisit } from '../components.js';
import { type Column, Table } from '../lists.js';
import type { Schemas } from '../operations.js';
import { texts } from './texts.js';

type Day = Schemas['DayFigures'];

interface Plot {
  name: Text;
  /** Undefined for a day without packages to count. */
  measure: (day: Day) => number | undefined;
  unit: string;
  /** Value of a bar of full height; the largest of all days when left out. */
  full?: number;
}

const percent = (part: number, all: number): number | undefined =>
  all === 0 ? undefined : Math.round((100 * part) / all);

const plots: readonly Plot[] = [
  { name: texts.orders, measure: ({ orders }) => orders, unit: '' },
  { name: texts.onTime, measure: ({ on_time, due }) => percent(on_time, due), unit: ' %', full: 100 },
  {
    name: texts.firstAttempt,
    measure: ({ first_attempt, delivered }) => percent(first_attempt, delivered),
    unit: ' %',
    full: 100,
  },
  { name: texts.hours, measure: ({ delivery_hours }) => delivery_hours, unit: ' h' },
];

const BAR = 10;
const GAP = 3;
const HEIGHT = 40;

const shown = (value: number | undefined, unit: string): string => (value === undefined ? '–' : `${value}${unit}`);

/** One bar a day; the table says the same. */
function Bars({ days, plot }: { days: readonly Day[]; plot: Plot }) {
  const values = days.map(plot.measure);
  const full = plot.full ?? Math.max(1, ...values.map((value) => value ?? 0));
  return (
    <svg viewBox={`0 0 ${days.length * (BAR + GAP)} ${HEIGHT}`} aria-hidden="true" focusable="false">
      {values.map((value = 0, at) => {
        const height = Math.max(1, Math.round((HEIGHT * value) / full));
        return <rect x={at * (BAR + GAP)} y={HEIGHT - height} width={BAR} height={height} rx="1" />;
      })}
    </svg>
  );
}

const columns: readonly Column<Day>[] = [
  [texts.day, ({ date }) => <DateText at={date} />],
  ...plots.map(({ name, measure, unit }): Column<Day> => [name, (day) => shown(measure(day), unit), 'number']),
];

/** The last days: small plots, and the same as a table. */
export function Days({ days }: { days: readonly Day[] }) {
  const { say } = useVisit();
  const today = days.at(-1);
  return (
    <Section title={texts.days}>
      <div class="plots">
        {plots.map((plot) => (
          <figure>
            <figcaption>
              {say(plot.name)}
              <strong>
                {shown(today && plot.measure(today), plot.unit)} <small>{say(texts.today)}</small>
              </strong>
            </figcaption>
            <Bars days={days} plot={plot} />
          </figure>
        ))}
      </div>
      <details>
        <summary>{say(texts.asTable)}</summary>
        <p>{say(texts.ratesOf)}</p>
        <Table caption={texts.days} rows={days} columns={columns} />
      </details>
    </Section>
  );
}
