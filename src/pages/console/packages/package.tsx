import { Field, PostForm } from '../../design/forms.js';
import { SplitPage } from '../../design/frame.js';
import { MapLink } from '../../design/map.js';
import { Card, Copy, EndingLink, factList, Section, TextLink, Timeline } from '../../design/pieces.js';
import { Pager, pageQuery, TableIfAny } from '../../design/tables.js';
import { DELIVERED, FIRST_STATUS } from '../../facts.js';
import { ending, plainEndings } from '../../session/ending.js';
import { addressChange } from '../../shared/address-change.js';
import { AttemptsText, HoursText } from '../../shared/attempts.js';
import { LabelsSection, ProofSection } from '../../shared/files.js';
import { addressText, Promised, placeText, StatusChip, senderText } from '../../shared/words.js';
import { packageTexts as texts, valueWords } from '../../texts.js';
import { calling, filledPath, param, type Schemas, useVisit, type Visit } from '../../visit.js';
import { Money, Time, Word } from '../../written.js';
import { Named, type Names, namesOf } from '../names.js';
import { taskColumns } from '../trouble/tasks.js';
import { entryOf } from './history.js';
import { catalogueOf, type TrackedPackage } from './list.js';
import { MovementForm } from './movement.js';

const PACKAGE = '/operator/v1/packages/{loggi_key}';
const PAGE = '/console/packages/{loggi_key}';

/** Shows the history of a package and the forms for its changes. */
export async function showPackage(visit: Visit) {
  const { ask, askIfAny, say } = visit;
  const path = filledPath(visit, PAGE);
  const [tracked, history, statuses, tasks] = await Promise.all([
    ask(`GET ${PACKAGE}`),
    ask(`GET ${PACKAGE}/movements`, { query: pageQuery(visit) }),
    catalogueOf(visit),
    ask('GET /operator/v1/tasks', { query: { loggi_key: param(visit, 'loggi_key') } }),
  ]);
  const { order_id: order, user_id: user, status } = tracked;
  const isDelivered = status.code === DELIVERED;
  const [proof, pin, names] = await Promise.all([
    isDelivered ? askIfAny(`GET ${PACKAGE}/proof`) : undefined,
    isDelivered ? undefined : askIfAny(`GET ${PACKAGE}/pin`),
    namesOf(visit, [order, user]),
  ]);
  const side = (
    <>
      <MovementForm {...{ statuses, path }} current={status} />
      {status.final && (
        <p class="send">
          <EndingLink href={`${path}/reopening`} text={texts.reopen} />
        </p>
      )}
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
  return (
    <SplitPage title={`${say(texts.package)} ${tracked.tracking_code}`} side={side}>
      <PackageFacts {...{ tracked, names }} />
      <TableIfAny caption={texts.tasks} columns={taskColumns} rows={tasks.data} />
      {proof && <ProofSection {...{ proof, path }} />}
      {pin && <PinSection {...{ pin, path }} />}
      <Card title={texts.history}>
        <Timeline entries={history.data.map((movement) => entryOf(movement, visit))} />
        <Pager {...history.pagination} />
      </Card>
    </SplitPage>
  );
}

function PackageFacts({ tracked, names }: { tracked: TrackedPackage; names: Names }) {
  const { say } = useVisit();
  const { status, recipient, address, fiscal_document: document, tracking_url: link } = tracked;
  return factList([
    [texts.status, <StatusChip status={status} />],
    [texts.since, <Time at={status.updated_at} />],
    [texts.location, placeText(tracked.location)],
    [texts.ready_at, tracked.ready_at && <Time at={tracked.ready_at} />],
    [texts.promised, <Promised {...tracked} />],
    [texts.reference, tracked.reference],
    [texts.sender, senderText(tracked.sender)],
    [texts.expected, tracked.expected_window && <HoursText {...tracked.expected_window} />],
    [texts.attempts, tracked.attempts && <AttemptsText {...tracked.attempts} />],
    [texts.recipient, recipient.name],
    [texts.phone, recipient.phone],
    [texts.tax_id, recipient.tax_id],
    [texts.fiscal_document, document && fiscalText(document)],
    [texts.declared_value, tracked.declared_value && <Money amount={tracked.declared_value} />],
    [texts.service, <Word of={valueWords.services} value={tracked.service} />],
    [texts.address, <MapLink place={address.address} text={addressText(address)} />],
    [texts.barcode, tracked.barcode],
    [texts.order, <Named id={tracked.order_id} names={names} />],
    [texts.account, <Named id={tracked.user_id} names={names} />],
    [texts.created, <Time at={tracked.created_at} />],
    [texts.link, link && <a href={link}>{say(texts.openLink)}</a>],
    [texts.loggiKey, <Copy value={tracked.loggi_key} />],
  ]);
}

const fiscalText = ({ kind, key, reason }: Schemas['FiscalDocument']) => [
  <Word of={valueWords.fiscalKinds} value={kind} />,
  ` ${[key, reason].filter(Boolean).join(' ')}`,
];

const OVERRIDE = 'POST /operator/v1/packages/{loggi_key}/pin/override';

/** Shows the state of the delivery PIN, with a form that overrides it. */
function PinSection({ path, pin }: { path: string; pin: Schemas['PinState'] }) {
  const { say } = useVisit();
  return (
    <Section title={texts.pin}>
      <p>{[<Word of={valueWords.pinStates} value={pin.state} />, ` ${say(texts.wrongTries)} ${pin.wrong_tries}.`]}</p>
      {pin.override_reason && <p>{`${say(texts.reason)}: ${pin.override_reason}`}</p>}
      {(pin.state === 'waiting' || pin.state === 'blocked') && (
        <PostForm action={`${path}/pin-override`} operation={OVERRIDE} submit={texts.overridePin} kind="danger">
          <Field name="reason" label={texts.reason} isRequired maxLength={255} />
        </PostForm>
      )}
    </Section>
  );
}

export const overridePin = calling(OVERRIDE, PAGE, 'saved', ({ form }) => ({
  reason: form.text('reason').trim(),
}));

const linkEnding = plainEndings(PAGE, async ({ ask }) => (await ask(`GET ${PACKAGE}`)).tracking_code);

export const linkRenewal = linkEnding(texts.renewLink, `POST ${PACKAGE}/tracking-link`, texts.renewLinkHint);
export const linkRevocation = linkEnding(texts.revokeLink, `DELETE ${PACKAGE}/tracking-link`, texts.revokeLinkHint);

export const packageAddressChange = addressChange({
  operation: `POST ${PACKAGE}/address-change`,
  read: ({ ask }) => ask(`GET ${PACKAGE}`),
  change: async ({ ask }, options) => {
    const answer = await ask(`POST ${PACKAGE}/address-change`, options);
    const { changed, package: carried, resolved_address: place, previous_total: before, total: after } = answer;
    return { changed, carried, place, before, after };
  },
});

/** Asks before it cancels a package: shows the consequences, and the price of the order afterwards. */
export const cancellation = ending({
  submit: texts.cancel,
  operation: `POST ${PACKAGE}/cancellation`,
  back: PAGE,
  body: {},
  refused: showPackage,
  about: async ({ ask, say }) => {
    const preview = await ask(`POST ${PACKAGE}/cancellation`, { body: { preview: true } });
    const { loggi_key: key, order_id: id, tracking_code: subject, recipient } = preview.package;
    const order = await ask('GET /api/v1/orders/{id}', { path: { id } });
    const isLast = order.packages.every((each) => each.status.stage === 'cancelled' || each.loggi_key === key);
    return {
      subject,
      consequences: [texts.cancelHint, isLast ? texts.cancelLast : texts.cancelOthers],
      facts: [
        [texts.recipient, recipient.name],
        [texts.order, <a href={`/console/orders/${id}`}>{order.external_id ?? say(texts.seeOrder)}</a>],
        [texts.priceBefore, <Money amount={preview.previous_total} />],
        [texts.priceAfter, <Money amount={preview.total} />],
      ],
    };
  },
});
