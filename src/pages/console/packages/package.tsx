import { DateText, Facts, OperationForm, Time } from '../components.js';
import type { Form } from '../forms.js';
import { show } from '../frame.js';
import { type Column, Listing, pageQuery, Table } from '../lists.js';
import { answerOf, dataOf, type RefusalError, type Schemas } from '../operations.js';
import { taskColumns } from '../trouble/tasks.js';
import { redirect, type Visit } from '../visit.js';
import { LabelsSection } from './files.js';
import { HandoverSection, handoverOf } from './handover.js';
import { catalogue, type TrackedPackage } from './list.js';
import { MovementForm } from './movement.js';
import { texts } from './texts.js';

type Movement = Schemas['Movement'];

const keyOf = ({ req }: Visit): string => String(req.params['loggi_key']);

/** `GET /console/packages/{loggi_key}`: a package's story, and what can be done with it. */
export async function showPackage(visit: Visit, refusal?: RefusalError, form?: Form): Promise<void> {
  const { operator, say } = visit;
  const path = { loggi_key: keyOf(visit) };
  const query = pageQuery(visit);
  const [tracked, history, statuses, tasks] = await Promise.all([
    dataOf(operator.GET('/operator/v1/packages/{loggi_key}', { params: { path } })),
    dataOf(operator.GET('/operator/v1/packages/{loggi_key}/movements', { params: { path, query } })),
    catalogue(visit),
    dataOf(operator.GET('/operator/v1/tasks', { params: { query: path } })),
  ]);
  const handover = await handoverOf(visit, tracked);
  show(
    visit,
    `${say(texts.package)} ${tracked.tracking_code}`,
    <>
      <PackageFacts visit={visit} tracked={tracked} />
      {tasks.data.length > 0 && (
        <section>
          <h2>{say(texts.tasks)}</h2>
          <Table visit={visit} caption={texts.tasks} columns={taskColumns(visit)} rows={tasks.data} />
        </section>
      )}
      <HandoverSection visit={visit} tracked={tracked} handover={handover} form={form} />
      <section>
        <h2>{say(texts.history)}</h2>
        <Listing visit={visit} caption={texts.history} columns={movementColumns(visit)} list={history} />
      </section>
      <MovementForm visit={visit} tracked={tracked} statuses={statuses} form={form} />
      <LabelsSection
        visit={visit}
        path={`/console/packages/${tracked.loggi_key}/label`}
        operation="GET /api/v1/packages/{loggi_key}/label"
      />
      <LinkActions visit={visit} tracked={tracked} />
    </>,
    { refusal },
  );
}

function PackageFacts({ visit, tracked }: { visit: Visit; tracked: TrackedPackage }) {
  const { status, location, recipient } = tracked;
  const { say } = visit;
  return (
    <Facts
      visit={visit}
      facts={[
        [texts.status, `${status.code} ${status.high_level_status}`],
        [texts.since, <Time visit={visit} at={status.updated_at} />],
        [texts.location, location ? `${location.city} – ${location.state}` : '–'],
        [texts.promised, <DateText visit={visit} date={tracked.promised_date} />],
        [texts.recipient, recipient.name],
        [texts.phone, recipient.phone],
        [texts.address, [tracked.address.address, tracked.address.complement].filter(Boolean).join(', ')],
        [texts.barcode, tracked.barcode],
        [texts.loggiKey, <code>{tracked.loggi_key}</code>],
        [texts.order, <a href={`/console/orders/${tracked.order_id}`}>{tracked.order_id}</a>],
        [texts.account, <a href={`/console/users/${tracked.user_id}`}>{tracked.user_id}</a>],
        [texts.created, <Time visit={visit} at={tracked.created_at} />],
        [texts.link, tracked.tracking_url ? <a href={tracked.tracking_url}>{say(texts.openLink)}</a> : '–'],
      ]}
    />
  );
}

const movementColumns = (visit: Visit): Column<Movement>[] => [
  { heading: texts.when, cell: ({ happened_at: at }) => <Time visit={visit} at={at} /> },
  { heading: texts.status, cell: ({ status_code, high_level_status: name }) => `${status_code} ${name}` },
  { heading: texts.where, cell: ({ location }) => location && `${location.city} – ${location.state}` },
  {
    heading: texts.remarks,
    cell: ({ action_required: action, pickup_agency: agency }) =>
      (action && `${action.reason_label}: ${action.reason_description}`) ??
      (agency && `${agency.address}, ${agency.city} – ${agency.state}, ${agency.postal_code}`),
  },
];

/** What the recipient follows the package by. */
function LinkActions({ visit, tracked }: { visit: Visit; tracked: TrackedPackage }) {
  const action = `/console/packages/${tracked.loggi_key}/tracking-link`;
  const operation = '/operator/v1/packages/{loggi_key}/tracking-link';
  return (
    <section>
      <h2>{visit.say(texts.link)}</h2>
      <OperationForm
        visit={visit}
        action={action}
        operation={`POST ${operation}`}
        submit={texts.renewLink}
        isDangerous
      />
      {tracked.tracking_url !== undefined && (
        <OperationForm
          visit={visit}
          action={`${action}/revocation`}
          operation={`DELETE ${operation}`}
          submit={texts.revokeLink}
          isDangerous
        />
      )}
    </section>
  );
}

/** `POST /console/packages/{loggi_key}/tracking-link` */
export async function renewLink(visit: Visit, form: Form): Promise<void> {
  const params = { path: { loggi_key: keyOf(visit) }, header: { 'Idempotency-Key': form.text('key') } };
  await dataOf(visit.operator.POST('/operator/v1/packages/{loggi_key}/tracking-link', { params }));
  redirect(visit, `/console/packages/${keyOf(visit)}?done=saved`);
}

/** `POST /console/packages/{loggi_key}/tracking-link/revocation` */
export async function revokeLink(visit: Visit): Promise<void> {
  const params = { path: { loggi_key: keyOf(visit) } };
  await answerOf(visit.operator.DELETE('/operator/v1/packages/{loggi_key}/tracking-link', { params }));
  redirect(visit, `/console/packages/${keyOf(visit)}?done=saved`);
}
