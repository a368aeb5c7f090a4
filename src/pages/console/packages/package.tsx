import {
  Choice,
  type Column,
  DateText,
  Facts,
  Field,
  OperationForm,
  Pager,
  pageQuery,
  Table,
  Time,
} from '../components.js';
import type { Form } from '../forms.js';
import { show } from '../frame.js';
import { dataOf, RefusalError, type Schemas } from '../operations.js';
import { redirect, type Visit } from '../visit.js';
import { catalogue, type TrackedPackage } from './list.js';
import { texts } from './texts.js';

type Movement = Schemas['Movement'];

const keyOf = ({ req }: Visit): string => String(req.params['loggi_key']);

/** `GET /console/packages/{loggi_key}`: a package's story, and what can be done with it. */
export async function showPackage(visit: Visit, refusal?: RefusalError, form?: Form): Promise<void> {
  const { operator, say } = visit;
  const path = { loggi_key: keyOf(visit) };
  const query = pageQuery(visit);
  const [tracked, history, statuses] = await Promise.all([
    dataOf(operator.GET('/operator/v1/packages/{loggi_key}', { params: { path } })),
    dataOf(operator.GET('/operator/v1/packages/{loggi_key}/movements', { params: { path, query } })),
    catalogue(visit),
  ]);
  show(
    visit,
    `${say(texts.package)} ${tracked.tracking_code}`,
    <>
      <PackageFacts visit={visit} tracked={tracked} />
      <section>
        <h2>{say(texts.history)}</h2>
        <Table visit={visit} caption={say(texts.history)} columns={movementColumns(visit)} rows={history.data} />
        <Pager visit={visit} pagination={history.pagination} />
      </section>
      <MovementForm visit={visit} tracked={tracked} statuses={statuses} form={form} />
    </>,
    { refusal },
  );
}

function PackageFacts({ visit, tracked }: { visit: Visit; tracked: TrackedPackage }) {
  const { status, location, recipient } = tracked;
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

interface MovementFormProps {
  visit: Visit;
  tracked: TrackedPackage;
  statuses: readonly Schemas['CatalogueStatus'][];
  /** What was typed, when it was refused. */
  form: Form | undefined;
}

function MovementForm({ visit, tracked, statuses, form }: MovementFormProps) {
  const { say } = visit;
  const field = (name: string, label: (typeof texts)[keyof typeof texts]) => (
    <Field visit={visit} name={name} label={label} value={form?.text(name)} maxLength={1000} />
  );
  return (
    <section>
      <h2>{say(texts.record)}</h2>
      <OperationForm
        visit={visit}
        action={`/console/packages/${tracked.loggi_key}/movements`}
        operation="POST /operator/v1/movements"
        submit={texts.record}
      >
        <Choice
          visit={visit}
          name="status_code"
          label={texts.newStatus}
          value={form?.text('status_code') ?? String(tracked.status.code)}
          options={statuses.flatMap(({ code, high_level_status: name }) =>
            code === 1 ? [] : { value: String(code), text: `${code} ${name}` },
          )}
        />
        <Field
          visit={visit}
          name="at"
          type="datetime-local"
          step={1}
          isRequired
          label={texts.at}
          hint={texts.atHint}
          value={form?.text('at') ?? localTime(visit.now)}
        />
        {field('city', texts.city)}
        {field('state', texts.state)}
        <details open={Boolean(form?.text('reason_label'))}>
          <summary>{say(texts.problem)}</summary>
          <p>{say(texts.problemHint)}</p>
          {field('reason_label', texts.label)}
          {field('reason_description', texts.description)}
        </details>
        <details open={Boolean(form?.text('agency_address'))}>
          <summary>{say(texts.agency)}</summary>
          <p>{say(texts.agencyHint)}</p>
          {field('agency_address', texts.address)}
          {field('agency_city', texts.city)}
          {field('agency_state', texts.state)}
          {field('agency_postal_code', texts.postalCode)}
        </details>
      </OperationForm>
    </section>
  );
}

// A field of type `datetime-local` is one of São Paulo, which has had no summer time since 2019.
const BEHIND_UTC_MS = 3 * 3_600_000;
const SECONDS_MS = 1_000;

/** To the next second, as nothing that is recorded already is later. */
const localTime = (now: Date): string =>
  new Date(now.getTime() - BEHIND_UTC_MS + SECONDS_MS).toISOString().slice(0, 19);

const timeOf = (local: string): string => `${local.length === 16 ? `${local}:00` : local}-03:00`;

function movementOf(visit: Visit, form: Form): Schemas['MovementInput'] {
  const value = (name: string) => form.optional(name);
  const [city, state] = [value('city'), value('state')];
  const [label, description] = [value('reason_label'), value('reason_description')];
  const [address, postalCode] = [value('agency_address'), value('agency_postal_code')];
  return {
    // The same form sent twice is the same movement.
    id: form.text('key'),
    loggi_key: keyOf(visit),
    status_code: Number(form.text('status_code')),
    happened_at: timeOf(form.text('at')),
    ...((city ?? state) !== undefined && { location: { city: city ?? '', state: state?.toUpperCase() ?? '' } }),
    ...((label ?? description) !== undefined && {
      action_required: { reason_label: label ?? '', reason_description: description ?? '' },
    }),
    ...((address ?? postalCode) !== undefined && {
      pickup_agency: {
        address: address ?? '',
        city: value('agency_city') ?? '',
        state: value('agency_state')?.toUpperCase() ?? '',
        postal_code: postalCode?.replace('-', '') ?? '',
      },
    }),
  };
}

/** `POST /console/packages/{loggi_key}/movements` */
export async function recordMovement(visit: Visit, form: Form): Promise<void> {
  const movement = movementOf(visit, form);
  const { results } = await dataOf(visit.operator.POST('/operator/v1/movements', { body: { movements: [movement] } }));
  const [result] = results;
  if (result?.result === 'refused') {
    const { code = 'CONFLICT', message = '', field } = result;
    throw new RefusalError(409, code, message, field === undefined ? [] : [{ field, message }]);
  }
  redirect(
    visit,
    `/console/packages/${keyOf(visit)}?done=${result?.result === 'duplicate' ? 'duplicate' : 'recorded'}`,
  );
}
