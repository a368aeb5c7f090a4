import { packageTexts as texts } from '../../texts.js';
import { DateText, Time } from '../../times.js';
import { Facts, PostForm, Section, useVisit } from '../components.js';
import { show } from '../frame.js';
import { type Column, Listing, pageQuery, TableSection } from '../lists.js';
import { dataOf, type Schemas } from '../operations.js';
import { taskColumns } from '../trouble/tasks.js';
import { calling, type Visit } from '../visit.js';
import { LabelsSection, packagePath } from './files.js';
import { HandoverSection, handoverOf } from './handover.js';
import { placeText, statusOptions, statusText, type TrackedPackage } from './list.js';
import { MovementForm } from './movement.js';

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
    <>
      <PackageFacts tracked={tracked} />
      {tasks.data.length > 0 && <TableSection caption={texts.tasks} columns={taskColumns} rows={tasks.data} />}
      <HandoverSection tracked={tracked} {...handover} />
      <Section title={texts.history}>
        <Listing caption={texts.history} columns={movementColumns} list={history} />
      </Section>
      <MovementForm tracked={tracked} statuses={statuses} />
      <LabelsSection path={labels} operation="GET /api/v1/packages/{loggi_key}/label" />
      <LinkActions tracked={tracked} />
    </>,
  );
}

function PackageFacts({ tracked }: { tracked: TrackedPackage }) {
  const { say } = useVisit();
  const { status, recipient, address, order_id: order, user_id: user, tracking_url: link } = tracked;
  return (
    <Facts
      facts={[
        [texts.status, statusText(status)],
        [texts.since, <Time at={status.updated_at} />],
        [texts.location, placeText(tracked.location)],
        [texts.promised, <DateText at={tracked.promised_date} />],
        [texts.recipient, recipient.name],
        [texts.phone, recipient.phone],
        [texts.address, [address.address, address.complement].filter(Boolean).join(', ')],
        [texts.barcode, tracked.barcode],
        [texts.loggiKey, <code>{tracked.loggi_key}</code>],
        [texts.order, <a href={`/console/orders/${order}`}>{order}</a>],
        [texts.account, <a href={`/console/users/${user}`}>{user}</a>],
        [texts.created, <Time at={tracked.created_at} />],
        [texts.link, link && <a href={link}>{say(texts.openLink)}</a>],
      ]}
    />
  );
}

const movementColumns: readonly Column<Schemas['Movement']>[] = [
  [texts.when, ({ happened_at: at }) => <Time at={at} />],
  [texts.status, ({ status_code, high_level_status: name }) => `${status_code} ${name}`],
  [texts.where, ({ location }) => placeText(location)],
  [
    texts.remarks,
    ({ action_required: action, pickup_agency: agency }) =>
      (action && `${action.reason_label}: ${action.reason_description}`) ??
      (agency && `${agency.address}, ${placeText(agency)}, ${agency.postal_code}`),
  ],
];

function LinkActions({ tracked }: { tracked: TrackedPackage }) {
  const action = `/console/packages/${tracked.loggi_key}/tracking-link`;
  return (
    <Section title={texts.link}>
      <PostForm action={action} operation={`POST ${LINK}`} submit={texts.renewLink} isDangerous />
      {tracked.tracking_url !== undefined && (
        <PostForm action={`${action}/revocation`} operation={`DELETE ${LINK}`} submit={texts.revokeLink} isDangerous />
      )}
    </Section>
  );
}

const LINK = '/operator/v1/packages/{loggi_key}/tracking-link';
export const renewLink = calling(`POST ${LINK}`, '/console/packages/{loggi_key}');
export const revokeLink = calling(`DELETE ${LINK}`, '/console/packages/{loggi_key}');
