import { FIRST_STATUS } from '../../../packages/movement.js';
import { useVisit } from '../../design/context.js';
import { SplitPage } from '../../design/frame.js';
import { MapLink } from '../../design/map.js';
import { Card, Copy, EndingLink, Facts, stageOf, TextLink, Timeline, type TimelineEntry } from '../../design/pieces.js';
import { Pager, pageQuery, TableIfAny } from '../../design/tables.js';
import { postalCodeText } from '../../language.js';
import { Word } from '../../page.js';
import { LabelsSection } from '../../parcel/files.js';
import { addressText, placeText, StatusChip, statusTitle } from '../../parcel/words.js';
import type { Schemas } from '../../session/operations.js';
import { filledPath, param, type Visit } from '../../session/visit.js';
import { fiscalKinds, services, packageTexts as texts } from '../../texts.js';
import { DateText, Money, Time } from '../../times.js';
import { Named, type Names, namesOf } from '../names.js';
import { taskColumns } from '../trouble/tasks.js';
import { HandoverSection, handoverOf } from './handover.js';
import { statusOptions, type TrackedPackage } from './list.js';
import { MovementForm } from './movement.js';

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
  const { order_id: order, user_id: user, status } = tracked;
  const [handover, names] = await Promise.all([handoverOf(visit, tracked), namesOf(visit, [order, user])]);
  const main = (
    <>
      <PackageFacts {...{ tracked, names }} />
      <TableIfAny caption={texts.tasks} columns={taskColumns} rows={tasks.data} />
      <HandoverSection {...{ path }} {...handover} />
      <Card title={texts.history}>
        <Timeline entries={history.data.map((movement) => entryOf(movement, visit))} />
        <Pager {...history.pagination} />
      </Card>
    </>
  );
  const side = (
    <>
      <MovementForm {...{ statuses, path }} status={String(status.code)} />
      <LabelsSection path={`${path}/label`} />
      <Card title={texts.link}>
        <p class="send">
          <EndingLink href={`${path}/tracking-link`} text={texts.renewLink} />
          {tracked.tracking_url !== undefined && (
            <EndingLink href={`${path}/tracking-link/revocation`} text={texts.revokeLink} />
          )}
        </p>
      </Card>
      {status.code === FIRST_STATUS && (
        <Card title={texts.beforePickup}>
          <p class="send">
            <TextLink href={`${path}/address-change`} text={texts.changeAddress} kind="button secondary" />
            <EndingLink href={`${path}/cancellation`} text={texts.cancel} />
          </p>
        </Card>
      )}
    </>
  );
  return <SplitPage title={`${say(texts.package)} ${tracked.tracking_code}`} {...{ main, side }} />;
}

function PackageFacts({ tracked, names }: { tracked: TrackedPackage; names: Names }) {
  const { say } = useVisit();
  const { status, recipient, address, order_id: order, user_id: user, tracking_url: link } = tracked;
  const { fiscal_document: document } = tracked;
  return (
    <Facts
      facts={[
        [texts.status, <StatusChip {...{ status }} />],
        [texts.since, <Time at={status.updated_at} />],
        [texts.location, placeText(tracked.location)],
        [texts.promised, <DateText at={tracked.promised_date} />],
        [texts.recipient, recipient.name],
        [texts.phone, recipient.phone],
        [texts.tax_id, recipient.tax_id],
        [texts.fiscal_document, document && <FiscalText document={document} />],
        [texts.declared_value, tracked.declared_value && <Money amount={tracked.declared_value} />],
        [texts.service, <Word of={services} value={tracked.service} />],
        [texts.address, <MapLink place={address.address} text={addressText(address)} />],
        [texts.barcode, tracked.barcode],
        [texts.order, <Named id={order} {...{ names }} />],
        [texts.account, <Named id={user} {...{ names }} />],
        [texts.created, <Time at={tracked.created_at} />],
        [texts.link, link && <a href={link}>{say(texts.openLink)}</a>],
        [texts.loggiKey, <Copy value={tracked.loggi_key} />],
      ]}
    />
  );
}

const FiscalText = ({ document: { kind, key, reason } }: { document: Schemas['FiscalDocument'] }) => (
  <>
    <Word of={fiscalKinds} value={kind} /> {key} {reason}
  </>
);

function entryOf(movement: Schemas['Movement'], visit: Visit): TimelineEntry {
  const { status_code: code, high_level_status, happened_at: at, location } = movement;
  const { action_required: action, pickup_agency: agency } = movement;
  const remarks = [
    placeText(location),
    action && `${action.reason_label}: ${action.reason_description}`,
    agency && `${agency.address}, ${placeText(agency)}, ${postalCodeText(agency.postal_code)}`,
  ];
  return {
    title: statusTitle(visit, { code, high_level_status }),
    at,
    stage: stageOf({ code, ...(action && { action_required: action }) }),
    children: remarks.filter(Boolean).map((remark) => ` · ${remark}`),
  };
}
