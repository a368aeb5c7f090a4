import { DAY_MS } from '../../../base/clock.js';
import { PostForm } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { Counts, Plot, Section } from '../../design/pieces.js';
import { type Column, Table, TableSection } from '../../design/tables.js';
import { type Endpoint, endpointColumns } from '../../shared/webhooks.js';
import { type Text, troubleTexts as texts, valueWords } from '../../texts.js';
import { calling, type Schemas, useVisit, type Visit } from '../../visit.js';
import { DateText, NumberText } from '../../written.js';
import { packageColumns } from '../packages/list.js';

const STUCK_DAYS = 3;
const FIRST = 10;

/** Names of troubles, how many there are of each, and the lists of them. */
function troublesOf({ late, stuck, statuses }: Schemas['Figures'], openTasks: number, now: Date) {
  const stuckSince = new Date(now.getTime() - STUCK_DAYS * DAY_MS).toISOString();
  const named = { 6: texts.action, 9: texts.lost, 10: texts.agency, 18: texts.absent };
  return [
    { text: texts.openTasks, count: openTasks, href: '/console/tasks' },
    { text: texts.late, count: late, href: '/console/packages?late=true' },
    { text: texts.stuck, count: stuck, href: `/console/packages?stuck_since=${stuckSince}` },
    ...Object.entries(named).map(([code, text]) => ({
      text,
      count: statuses.find((status) => status.code === Number(code))?.packages ?? 0,
      href: `/console/packages?status_code=${code}&open=true`,
    })),
  ];
}

const attemptCount = ({ outcome, packages }: Schemas['AttemptCount']) => ({
  text: valueWords.attemptOutcomes[outcome] ?? { 'pt-BR': outcome, en: outcome },
  count: packages,
  href: `/console/packages?attempt_outcome=${outcome}&open=true`,
});

/** The trouble that waits for an operator, and the figures of the last days. */
export async function showStart({ ask, say, now }: Visit) {
  const [figures, late, endpoints, tasks] = await Promise.all([
    ask('GET /operator/v1/figures', { query: { stuck_days: STUCK_DAYS } }),
    ask('GET /operator/v1/packages', { query: { late: true, page_size: FIRST } }),
    ask('GET /operator/v1/webhook-endpoints', { query: { trouble: true } }),
    ask('GET /operator/v1/tasks', { query: { state: 'open', page_size: 1 } }),
  ]);
  const { total_items: count } = late.pagination;
  const { data: rows } = endpoints;
  const { attempts = [] } = figures;
  return (
    <Page title={texts.title}>
      <Counts of={troublesOf(figures, tasks.pagination.total_items, now)} isTrouble />
      {attempts.length > 0 && (
        <Section title={texts.attempts}>
          <Counts of={attempts.map(attemptCount)} isTrouble />
        </Section>
      )}
      {figures.orders_counted === 5000 && <p>{say(texts.bounded)}</p>}
      <Section title={texts.latest}>
        <Table caption={texts.latest} columns={packageColumns} rows={late.data} empty={texts.noLate} />
        {count > FIRST && (
          <p>
            <a href="/console/packages?late=true">{[say(texts.all), ' (', <NumberText of={count} />, ')']}</a>
          </p>
        )}
      </Section>
      <TableSection caption={texts.endpoints} columns={columnsWithSending} rows={rows} empty={texts.noEndpoints} />
      <Days days={figures.days} />
    </Page>
  );
}

const columnsWithSending: readonly Column<Endpoint>[] = [
  ...endpointColumns,
  [texts.sendNow, ({ id, state }) => state === 'active' && <SendNow id={id} />],
];

const SendNow = ({ id }: { id: string }) => (
  <PostForm action="/console/send-now" operation={SENDING} {...sending} hidden={{ endpoint_id: id }} />
);

const SENDING = 'POST /operator/v1/send-now';
const sending = { submit: texts.sendNow, kind: 'secondary' } as const;
export const sendNow = calling(SENDING, '/console', 'sent', ({ form }) => ({
  endpoint_id: form.text('endpoint_id'),
}));

type Day = Schemas['DayFigures'];

interface Measure {
  name: Text;
  /** The value of a day; undefined without packages to count. */
  measure: (day: Day) => number | undefined;
  unit: string;
  /** Value of a bar of full height; the largest of all days when left out. */
  full?: number;
}

const percent = (part: number, all: number): number | undefined =>
  all === 0 ? undefined : Math.round((100 * part) / all);

const plots: readonly Measure[] = [
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

const shown = (value: number | undefined, unit: string) =>
  value === undefined ? '–' : [<NumberText of={value} />, unit];

const columns: readonly Column<Day>[] = [
  [texts.day, ({ date }) => <DateText at={date} />],
  ...plots.map(({ name, measure, unit }): Column<Day> => [name, (day) => shown(measure(day), unit), 'number']),
];

function Days({ days }: { days: readonly Day[] }) {
  const { say } = useVisit();
  const today = days.at(-1);
  return (
    <Section title={texts.days}>
      <div class="plots">
        {plots.map((plot) => (
          <Plot
            name={plot.name}
            values={days.map(plot.measure)}
            full={plot.full}
            latest={[shown(today && plot.measure(today), plot.unit), ' ', <small>{say(texts.today)}</small>]}
          />
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
