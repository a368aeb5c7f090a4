import { FIRST_STATUS } from '../../../packages/movement.js';
import {
  Card,
  Choice,
  Copy,
  Facts,
  Field,
  LinkLine,
  MapLink,
  Pager,
  PostForm,
  pageQuery,
  stageOf,
  TableSection,
  Timeline,
  type TimelineEntry,
  useVisit,
} from '../../design/index.js';
import type { Text } from '../../language.js';
import { Word } from '../../page.js';
import { dataOf, RefusalError, type Schemas } from '../../session/operations.js';
import { param, redirect, type Visit } from '../../session/visit.js';
import { fiscalKinds, services, packageTexts as texts } from '../../texts.js';
import { DateText, Money, Time } from '../../times.js';
import { show } from '../frame.js';
import { taskColumns } from '../trouble/tasks.js';
import { LabelsSection, packagePath } from './files.js';
import { HandoverSection, handoverOf } from './handover.js';
import { LinkActions } from './link.js';
import { addressText, placeText, StatusChip, statusOptions, type TrackedPackage } from './list.js';

/** A package's story, and the forms of what can be done with it. */
export async function showPackage(visit: Visit): Promise<void> {
  const { operator, say } = visit;
  const { path } = packagePath(visit);
  const query = pageQuery(visit);
  const [tracked, history, statuses, tasks] = await Promise.all([
    dataOf(operator.GET('/operator/v1/packages/{loggi_key}', { params: { path } })),
    dataOf(operator.GET('/operator/v1/packages/{loggi_key}/movements', { params: { path, query } })),
    statusOptions(visit),
    dataOf(operator.GET('/operator/v1/tasks', { params: { query: path } })),
  ]);
  const handover = await handoverOf(visit, tracked);
  const labels = `/console/packages/${tracked.loggi_key}/label`;
  show(
    visit,
    `${say(texts.package)} ${tracked.tracking_code}`,
    <div class="split">
      <div>
        <PackageFacts tracked={tracked} />
        {tasks.data.length > 0 && <TableSection caption={texts.tasks} columns={taskColumns} rows={tasks.data} />}
        <HandoverSection tracked={tracked} {...handover} />
        <Card title={texts.history}>
          <Timeline entries={history.data.map(entryOf)} />
          <Pager {...history.pagination} />
        </Card>
      </div>
      <div>
        <MovementForm tracked={tracked} statuses={statuses} />
        <LabelsSection path={labels} />
        <LinkActions tracked={tracked} />
        {tracked.status.code === FIRST_STATUS && <ChangeLinks tracked={tracked} />}
      </div>
    </div>,
  );
}

function PackageFacts({ tracked }: { tracked: TrackedPackage }) {
  const { say } = useVisit();
  const { status, recipient, address, order_id: order, user_id: user, tracking_url: link } = tracked;
  const { fiscal_document: document } = tracked;
  return (
    <Facts
      facts={[
        [texts.status, <StatusChip {...status} />],
        [texts.since, <Time at={status.updated_at} />],
        [texts.location, placeText(tracked.location)],
        [texts.promised, <DateText at={tracked.promised_date} />],
        [texts.recipient, recipient.name],
        [texts.phone, recipient.phone],
        [texts.tax_id, recipient.tax_id],
        [texts.fiscalDocument, document && <FiscalText document={document} />],
        [texts.declaredValue, tracked.declared_value && <Money amount={tracked.declared_value} />],
        [texts.service, <Word of={services} value={tracked.service} />],
        [texts.address, <MapLink place={address.address} text={addressText(address)} />],
        [texts.barcode, tracked.barcode],
        [texts.loggiKey, <Copy value={tracked.loggi_key} />],
        [texts.order, <a href={`/console/orders/${order}`}>{say(texts.seeOrder)}</a>],
        [texts.account, <a href={`/console/users/${user}`}>{say(texts.seeAccount)}</a>],
        [texts.created, <Time at={tracked.created_at} />],
        [texts.link, link && <a href={link}>{say(texts.openLink)}</a>],
      ]}
    />
  );
}

const FiscalText = ({ document: { kind, key, reason } }: { document: Schemas['FiscalDocument'] }) => (
  <>
    <Word of={fiscalKinds} value={kind} /> {key} {reason}
  </>
);

function entryOf(movement: Schemas['Movement']): TimelineEntry {
  const { status_code: code, high_level_status: title, happened_at: at, location } = movement;
  const { action_required: action, pickup_agency: agency } = movement;
  const remarks = [
    placeText(location),
    action && `${action.reason_label}: ${action.reason_description}`,
    agency && `${agency.address}, ${placeText(agency)}, ${agency.postal_code}`,
  ];
  return {
    title: <span lang="pt-BR">{title}</span>,
    at,
    stage: stageOf({ code, ...(action && { action_required: action }) }),
    children: remarks.filter(Boolean).map((remark) => ` · ${remark}`),
  };
}

function ChangeLinks({ tracked }: { tracked: TrackedPackage }) {
  const page = `/console/packages/${tracked.loggi_key}`;
  return (
    <Card title={texts.beforePickup}>
      <LinkLine href={`${page}/address-change`} text={texts.changeAddress} />
      <LinkLine href={`${page}/cancellation`} text={texts.cancel} />
    </Card>
  );
}

interface MovementFormProps {
  tracked: TrackedPackage;
  statuses: Awaited<ReturnType<typeof statusOptions>>;
}

const field = (name: string, label: Text) => <Field name={name} label={label} maxLength={1000} />;

function MovementForm({ tracked, statuses }: MovementFormProps) {
  const { say, form, now } = useVisit();
  const options = statuses.filter(([code]) => code !== String(FIRST_STATUS));
  return (
    <Card title={texts.record} id="record">
      <PostForm
        action={`/console/packages/${tracked.loggi_key}/movements`}
        operation="POST /operator/v1/movements"
        submit={texts.record}
      >
        <Choice name="status_code" label={texts.newStatus} value={String(tracked.status.code)} options={options} />
        <Field
          name="at"
          type="datetime-local"
          step={1}
          isRequired
          label={texts.at}
          hint={texts.atHint}
          value={localTime(now)}
        />
        {field('city', texts.city)}
        {field('state', texts.state)}
        <details open={form.text('reason_label') !== ''}>
          <summary>{say(texts.problem)}</summary>
          <p>{say(texts.problemHint)}</p>
          {field('reason_label', texts.label)}
          {field('reason_description', texts.detail)}
        </details>
        <details open={form.text('pickup_agency.address') !== ''}>
          <summary>{say(texts.agency)}</summary>
          <p>{say(texts.agencyHint)}</p>
          {field('pickup_agency.address', texts.address)}
          {field('pickup_agency.city', texts.city)}
          {field('pickup_agency.state', texts.state)}
          {field('pickup_agency.postal_code', texts.postalCode)}
        </details>
      </PostForm>
    </Card>
  );
}

// A field of type `datetime-local` is one of São Paulo, which has had no summer time since 2019.
const BEHIND_UTC_MS = 3 * 3_600_000;
const SECONDS_MS = 1_000;

/** To the next second, so that no recorded movement is later. */
const localTime = (now: Date): string =>
  new Date(now.getTime() - BEHIND_UTC_MS + SECONDS_MS).toISOString().slice(0, 19);

const timeOf = (local: string): string => `${local.length === 16 ? `${local}:00` : local}-03:00`;

function movementOf(visit: Visit): Schemas['MovementInput'] {
  const { text, optional } = visit.form;
  const [city, state] = [optional('city'), optional('state')];
  const [label, description] = [optional('reason_label'), optional('reason_description')];
  const [address, postalCode] = [optional('pickup_agency.address'), optional('pickup_agency.postal_code')];
  return {
    // The same form sent twice is the same movement.
    id: text('key'),
    loggi_key: param(visit, 'loggi_key'),
    status_code: Number(text('status_code')),
    happened_at: timeOf(text('at')),
    ...((city ?? state) !== undefined && { location: { city: city ?? '', state: state?.toUpperCase() ?? '' } }),
    ...((label ?? description) !== undefined && {
      action_required: { reason_label: label ?? '', reason_description: description ?? '' },
    }),
    ...((address ?? postalCode) !== undefined && {
      pickup_agency: {
        address: address ?? '',
        city: text('pickup_agency.city').trim(),
        state: text('pickup_agency.state').trim().toUpperCase(),
        postal_code: postalCode?.replace('-', '') ?? '',
      },
    }),
  };
}

export async function recordMovement(visit: Visit): Promise<void> {
  const body = { movements: [movementOf(visit)] };
  const [result] = (await dataOf(visit.operator.POST('/operator/v1/movements', { body }))).results;
  if (result?.result === 'refused') {
    const {
      code = 'CONFLICT',
      reason = 'unspecified',
      message = '',
      field,
      field_code: fieldCode = 'unspecified',
    } = result;
    const details = field === undefined ? [] : [{ field, code: fieldCode, message }];
    throw new RefusalError(code, reason, message, { details });
  }
  const done = result?.result === 'duplicate' ? 'duplicate' : 'recorded';
  redirect(visit, `/console/packages/${param(visit, 'loggi_key')}?done=${done}`);
}
