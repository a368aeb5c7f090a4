import { FIRST_STATUS } from '../../../packages/movement.js';
import {
  Card,
  Choice,
  Copy,
  EndingLink,
  Facts,
  Field,
  LinkLine,
  MapLink,
  Page,
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
import { LabelsSection } from '../../parcel/files.js';
import { addressText, placeText } from '../../parcel/words.js';
import { RefusalError, type Schemas } from '../../session/operations.js';
import { asked, filledPath, param, type Visit } from '../../session/visit.js';
import { fiscalKinds, services, packageTexts as texts } from '../../texts.js';
import { DateText, Money, Time } from '../../times.js';
import { taskColumns } from '../trouble/tasks.js';
import { HandoverSection, handoverOf } from './handover.js';
import { StatusChip, statusOptions, type TrackedPackage } from './list.js';

const PAGE = '/console/packages/{loggi_key}';

/** A package's story, and the forms of what can be done with it. */
export async function showPackage(visit: Visit) {
  const { ask, say } = visit;
  const path = filledPath(visit, PAGE);
  const [tracked, history, statuses, tasks] = await Promise.all([
    ask('GET /operator/v1/packages/{loggi_key}'),
    ask('GET /operator/v1/packages/{loggi_key}/movements', { query: pageQuery(visit) }),
    statusOptions(visit),
    ask('GET /operator/v1/tasks', { query: { loggi_key: param(visit, 'loggi_key') } }),
  ]);
  const handover = await handoverOf(visit, tracked);
  return (
    <Page title={`${say(texts.package)} ${tracked.tracking_code}`}>
      <div class="split">
        <div>
          <PackageFacts tracked={tracked} />
          {tasks.data.length > 0 && <TableSection caption={texts.tasks} columns={taskColumns} rows={tasks.data} />}
          <HandoverSection {...{ path }} {...handover} />
          <Card title={texts.history}>
            <Timeline entries={history.data.map(entryOf)} />
            <Pager {...history.pagination} />
          </Card>
        </div>
        <div>
          <MovementForm {...{ tracked, statuses, path }} />
          <LabelsSection path={`${path}/label`} />
          <Card title={texts.link}>
            <EndingLink href={`${path}/tracking-link`} text={texts.renewLink} />
            {tracked.tracking_url !== undefined && (
              <EndingLink href={`${path}/tracking-link/revocation`} text={texts.revokeLink} />
            )}
          </Card>
          {tracked.status.code === FIRST_STATUS && (
            <Card title={texts.beforePickup}>
              <LinkLine href={`${path}/address-change`} text={texts.changeAddress} />
              <LinkLine href={`${path}/cancellation`} text={texts.cancel} />
            </Card>
          )}
        </div>
      </div>
    </Page>
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

interface MovementFormProps {
  tracked: TrackedPackage;
  statuses: Awaited<ReturnType<typeof statusOptions>>;
  path: string;
}

const field = (name: string, label: Text, value?: string) => <Field {...{ name, label, value }} maxLength={1000} />;

/** The page's address may name the status, as that of a task does: the form then has the place, too. */
function MovementForm({ tracked, statuses, path }: MovementFormProps) {
  const visit = useVisit();
  const { say, form, now } = visit;
  const status = asked(visit, 'status_code');
  const { city, state } = (status !== '' && tracked.location) || {};
  const options = statuses.filter(([code]) => code !== String(FIRST_STATUS));
  const time = { type: 'datetime-local', step: 1, isRequired: true, value: localTime(now) } as const;
  return (
    <Card title={texts.record} id="record">
      <PostForm action={`${path}/movements`} operation={RECORDING} submit={texts.record}>
        <Choice
          name="status_code"
          label={texts.newStatus}
          value={status || String(tracked.status.code)}
          {...{ options }}
        />
        <Field name="at" label={texts.at} hint={texts.atHint} {...time} />
        {field('city', texts.city, city)}
        {field('state', texts.state, state)}
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

const RECORDING = 'POST /operator/v1/movements';

/** The same form sent twice is the same movement. */
function movementOf(visit: Visit) {
  const { text, optional } = visit.form;
  const placeOf = (path: string) => ({
    city: text(`${path}city`).trim(),
    state: text(`${path}state`).trim().toUpperCase(),
  });
  const isTyped = (...names: string[]) => names.some((name) => optional(name) !== undefined);
  return {
    id: text('key'),
    loggi_key: param(visit, 'loggi_key'),
    status_code: Number(text('status_code')),
    happened_at: timeOf(text('at')),
    location: isTyped('city', 'state') ? placeOf('') : undefined,
    action_required: isTyped('reason_label', 'reason_description')
      ? { reason_label: text('reason_label').trim(), reason_description: text('reason_description').trim() }
      : undefined,
    pickup_agency: isTyped('pickup_agency.address', 'pickup_agency.postal_code')
      ? {
          address: text('pickup_agency.address').trim(),
          postal_code: text('pickup_agency.postal_code').trim().replace('-', ''),
          ...placeOf('pickup_agency.'),
        }
      : undefined,
  };
}

export async function recordMovement(visit: Visit): Promise<string> {
  const [result] = (await visit.ask(RECORDING, { body: { movements: [movementOf(visit)] } })).results;
  if (result?.result === 'refused') {
    const { code = 'CONFLICT', reason = 'unspecified', message = '', field, field_code = 'unspecified' } = result;
    const details = field === undefined ? [] : [{ field, code: field_code, message }];
    throw new RefusalError(code, reason, message, { details });
  }
  return `${filledPath(visit, PAGE)}?done=${result?.result === 'duplicate' ? 'duplicate' : 'recorded'}`;
}
