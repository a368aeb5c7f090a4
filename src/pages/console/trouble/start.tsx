import { PostForm } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { Counts } from '../../design/pieces.js';
import { Beside, barColumns } from '../../design/plots.js';
import { type Column, TableIfAny, TableSection } from '../../design/tables.js';
import { type Endpoint, endpointColumns } from '../../shared/webhooks.js';
import { statusTitle } from '../../shared/words.js';
import { filled, todayTexts as texts, valueWords } from '../../texts.js';
import { calling, type Schemas, useVisit, type Visit } from '../../visit.js';
import { NumberText, Say, Time, Word } from '../../written.js';
import { Named, type Names, namesOf } from '../names.js';
import { type CatalogueEntry, catalogueOf } from '../packages/list.js';
import { Days } from './days.js';
import { Setup, setupSteps } from './setup.js';

type Today = Schemas['Today'];

/** Shows how the day goes, and the problems that wait for an operator. */
export async function showStart(visit: Visit) {
  const { ask } = visit;
  const [figures, endpoints, tasks, catalogue, steps] = await Promise.all([
    ask('GET /operator/v1/today', {}),
    ask('GET /operator/v1/webhook-endpoints', { query: { trouble: true } }),
    ask('GET /operator/v1/tasks', { query: { state: 'open', page_size: 1 } }),
    catalogueOf(visit),
    setupSteps(visit),
  ]);
  const customers = figures.customers.slice(0, FIRST);
  const names = await namesOf(
    visit,
    customers.map(({ user_id: id }) => id),
  );
  const { data: rows } = endpoints;
  return (
    <Page title={texts.title}>
      <Setup steps={steps} />
      <DayCounts figures={figures} openTasks={tasks.pagination.total_items} />
      <div class="columns">
        <StatusTable {...{ figures, catalogue }} />
        <div class="columns">
          <LateTable late={figures.late} />
          <MissedTable missed={figures.missed} />
        </div>
      </div>
      <TableSection caption={texts.bases} columns={baseColumns} rows={figures.bases.slice(0, FIRST)} />
      <TableSection caption={texts.customers} columns={customerColumns(names)} rows={customers} />
      <Days days={figures.days} />
      <TableIfAny caption={texts.endpoints} columns={columnsWithSending} rows={rows} />
    </Page>
  );
}

/** The page shows the first cities and customers only. The operation has more. */
const FIRST = 10;

function DayCounts({ figures, openTasks }: { figures: Today; openTasks: number }) {
  const { say } = useVisit();
  const { at, today, yesterday } = figures;
  const before = (count: number) => [say(texts.onYesterday), ' ', <NumberText of={count} />];
  const ofPlanned = filled(say(texts.ofPlanned), { planned: String(today.planned) });
  return (
    <>
      <Counts
        of={[
          { text: texts.toCollect, count: today.to_collect, beside: before(yesterday.to_collect) },
          { text: texts.inBases, count: today.in_bases, beside: before(yesterday.in_bases) },
          { text: texts.onTheRoad, count: today.on_the_road, beside: before(yesterday.on_the_road) },
          {
            text: { 'pt-BR': ofPlanned, en: ofPlanned },
            count: today.delivered_of_planned,
            beside: [...before(yesterday.delivered_of_planned), ' / ', <NumberText of={yesterday.planned} />],
          },
          { text: texts.delivered, count: today.delivered, beside: before(yesterday.delivered) },
          {
            text: texts.late,
            count: today.late,
            href: '/console/packages?late=true',
            beside: before(yesterday.late),
            isTrouble: true,
          },
          { text: texts.openTasks, count: openTasks, href: '/console/tasks', isTrouble: true },
        ]}
      />
      <p class="hint">
        {say(texts.explained)} <Time at={at} />
      </p>
    </>
  );
}

function StatusTable({ figures, catalogue }: { figures: Today; catalogue: readonly CatalogueEntry[] }) {
  const visit = useVisit();
  const { statuses: rows } = figures;
  const nameOf = (code: number) => {
    const entry = catalogue.find((each) => each.code === code);
    return entry ? statusTitle(visit, entry) : code;
  };
  const columns: readonly Column<Today['statuses'][number]>[] = [
    [texts.status, ({ code }) => <a href={`/console/packages?status_code=${code}&open=true`}>{nameOf(code)}</a>],
    ...barColumns(rows),
  ];
  return <TableSection caption={texts.statuses} {...{ rows, columns }} empty={texts.nothingUnderWay} isNarrow />;
}

/** The days of delay of each row. Longer delays share a row. */
const lateSpans: readonly (readonly [first: number, last: number])[] = [
  [1, 1],
  [2, 2],
  [3, 3],
  [4, 7],
  [8, 30],
];

function LateTable({ late }: Pick<Today, 'late'>) {
  const { say } = useVisit();
  const sum = (of: 'today' | 'yesterday', [first, last]: readonly [number, number]) =>
    late.filter(({ days }) => days >= first && days <= last).reduce((total, each) => total + each[of], 0);
  const rows = lateSpans.map((span) => ({ span, today: sum('today', span), yesterday: sum('yesterday', span) }));
  const spanText = ([first, last]: readonly [number, number]) => {
    if (last === 30) return filled(say(texts.daysOrMore), { first: String(first) });
    return first === last ? String(first) : `${first}–${last}`;
  };
  const columns: readonly Column<(typeof rows)[number]>[] = [
    [texts.daysLate, ({ span }) => spanText(span)],
    ...barColumns(rows),
  ];
  return <TableSection caption={texts.lateByDays} {...{ rows, columns }} isNarrow />;
}

function MissedTable({ missed: rows }: Pick<Today, 'missed'>) {
  const columns: readonly Column<Today['missed'][number]>[] = [
    [
      texts.reason,
      ({ outcome }) => (
        <a href={`/console/packages?attempt_outcome=${outcome}&open=true`}>
          <Word of={valueWords.attemptOutcomes} value={outcome} />
        </a>
      ),
    ],
    ...barColumns(rows),
  ];
  return <TableSection caption={texts.missed} {...{ rows, columns }} empty={texts.noneMissed} isNarrow />;
}

type Places = Record<'today' | 'yesterday', Schemas['PlaceCounts']>;

const placeColumn = (part: keyof Schemas['PlaceCounts'], text: (typeof texts)['late']): Column<Places> => [
  text,
  ({ today, yesterday }) => <Beside today={today[part]} yesterday={yesterday[part]} />,
  'number',
];

const baseColumns: readonly Column<Today['bases'][number]>[] = [
  [texts.base, ({ city, state }) => (state === '' ? city : `${city} – ${state}`)],
  placeColumn('in_bases', texts.inBases),
  placeColumn('on_the_road', texts.onTheRoad),
  placeColumn('late', texts.late),
];

const customerColumns = (names: Names): readonly Column<Today['customers'][number]>[] => [
  [texts.customer, ({ user_id: id }) => <Named {...{ id, names }} />],
  placeColumn('to_collect', texts.toCollect),
  placeColumn('in_bases', texts.inBases),
  placeColumn('on_the_road', texts.onTheRoad),
  placeColumn('late', texts.late),
  [
    texts.packages,
    ({ user_id: id }) => (
      <a href={`/console/packages?open=true&user_id=${id}`}>
        <Say text={texts.see} />
      </a>
    ),
  ],
];

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
