import type { Text } from '../../language.js';
import { HiddenFields, OperationForm, Time } from '../components.js';
import type { Form } from '../forms.js';
import { show } from '../frame.js';
import { type Column, Table } from '../lists.js';
import { answerOf, dataOf, type RefusalError, type Schemas } from '../operations.js';
import { packageColumns } from '../packages/list.js';
import { redirect, type Visit } from '../visit.js';
import { Days } from './plots.js';
import { texts } from './texts.js';

type Endpoint = Schemas['WebhookEndpoint'];

const STUCK_DAYS = 3;
const DAY_MS = 86_400_000;
const FIRST = 10;

interface Trouble {
  name: Text;
  count: number;
  /** The list of what is counted. */
  path: string;
}

function troublesOf({ late, stuck, statuses }: Schemas['Figures'], openTasks: number, now: Date): Trouble[] {
  const stuckSince = new Date(now.getTime() - STUCK_DAYS * DAY_MS).toISOString();
  const named: [number, Text][] = [
    [6, texts.action],
    [9, texts.lost],
    [10, texts.agency],
    [18, texts.absent],
  ];
  return [
    { name: texts.openTasks, count: openTasks, path: '/console/tasks' },
    { name: texts.late, count: late, path: '/console/packages?late=true' },
    { name: texts.stuck, count: stuck, path: `/console/packages?stuck_since=${stuckSince}` },
    ...named.map(([code, name]) => ({
      name,
      count: statuses.find((status) => status.code === code)?.packages ?? 0,
      path: `/console/packages?status_code=${code}&open=true`,
    })),
  ];
}

/** `GET /console`: what needs somebody, then how the last days went. */
export async function showStart(visit: Visit, refusal?: RefusalError): Promise<void> {
  const { operator, say, now } = visit;
  const [figures, late, endpoints, tasks] = await Promise.all([
    dataOf(operator.GET('/operator/v1/figures', { params: { query: { stuck_days: STUCK_DAYS } } })),
    dataOf(operator.GET('/operator/v1/packages', { params: { query: { late: true, page_size: FIRST } } })),
    dataOf(operator.GET('/operator/v1/webhook-endpoints', { params: { query: { trouble: true } } })),
    dataOf(operator.GET('/operator/v1/tasks', { params: { query: { state: 'open', page_size: 1 } } })),
  ]);
  show(
    visit,
    say(texts.title),
    <>
      <ul class="troubles">
        {troublesOf(figures, tasks.pagination.total_items, now).map(({ name, count, path }) => (
          <li class={count > 0 ? 'some' : undefined}>
            <a href={path}>
              <strong>{count}</strong> {say(name)}
            </a>
          </li>
        ))}
      </ul>
      {figures.orders_counted === 5000 && <p>{say(texts.bounded)}</p>}
      <section>
        <h2>{say(texts.latest)}</h2>
        <Table
          visit={visit}
          caption={texts.latest}
          columns={packageColumns(visit)}
          rows={late.data}
          empty={texts.noLate}
        />
        {late.pagination.total_items > FIRST && (
          <p>
            <a href="/console/packages?late=true">
              {say(texts.all)} ({late.pagination.total_items})
            </a>
          </p>
        )}
      </section>
      <section>
        <h2>{say(texts.endpoints)}</h2>
        <Table
          visit={visit}
          caption={texts.endpoints}
          columns={endpointColumns(visit)}
          rows={endpoints.data}
          empty={texts.noEndpoints}
        />
      </section>
      <Days visit={visit} days={figures.days} />
    </>,
    { refusal },
  );
}

const endpointColumns = (visit: Visit): Column<Endpoint>[] => [
  { heading: texts.address, cell: ({ id, url }) => <a href={`/console/webhook-endpoints/${id}`}>{url}</a> },
  {
    heading: texts.state,
    cell: ({ state, failing_since: since }) => (
      <>
        {visit.say(state === 'disabled' ? texts.disabled : texts.ok)}
        {since && (
          <>
            , {visit.say(texts.failingSince)} <Time visit={visit} at={since} />
          </>
        )}
      </>
    ),
  },
  {
    heading: texts.lastFailure,
    cell: ({ last_failure: last }) => last && <span lang="en">{last.error ?? `HTTP ${last.status_code ?? ''}`}</span>,
  },
  { heading: texts.waiting, cell: ({ pending_count: count }) => count, isNumber: true },
  { heading: texts.deadLetters, cell: ({ dead_letter_count: count }) => count, isNumber: true },
  {
    heading: texts.sendNow,
    cell: ({ id, state }) =>
      state === 'active' && (
        <OperationForm
          visit={visit}
          action="/console/send-now"
          operation="POST /operator/v1/send-now"
          submit={texts.sendNow}
        >
          <HiddenFields fields={{ endpoint_id: id }} />
        </OperationForm>
      ),
  },
];

/** `POST /console/send-now` */
export async function sendNow(visit: Visit, form: Form): Promise<void> {
  const params = { header: { 'Idempotency-Key': form.text('key') } };
  await answerOf(
    visit.operator.POST('/operator/v1/send-now', { params, body: { endpoint_id: form.text('endpoint_id') } }),
  );
  redirect(visit, '/console?done=sent');
}
