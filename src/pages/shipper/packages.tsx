import { Field, PostForm } from '../design/forms.js';
import { SplitPage } from '../design/frame.js';
import { Card, Copy, factList, LinkLine, stageOf, TextLink, Timeline } from '../design/pieces.js';
import { type Column, TableIfAny } from '../design/tables.js';
import { DELIVERED, FIRST_STATUS } from '../facts.js';
import { ending } from '../session/ending.js';
import { addressChange } from '../shared/address-change.js';
import { AttemptsText, attemptText, HoursText } from '../shared/attempts.js';
import { LabelsSection, ProofSection } from '../shared/files.js';
import { addressText, Placed, Promised, placeText, StatusChip, statusTitle } from '../shared/words.js';
import { packageTexts, shipperTexts as texts } from '../texts.js';
import { calling, filledPath, param, type RestSchemas, useVisit, type Visit } from '../visit.js';
import { Money, Time } from '../written.js';
import { addressOf } from './fields.js';
import { RequestForm, requestColumns } from './requests.js';

const PACKAGE = '/api/v1/packages/{loggi_key}';
const PAGE = '/envios/packages/{loggi_key}';

type Carried = RestSchemas['PackageDetail'];
type Answer = RestSchemas['PackageAnswer'];
type CarriedProps = { carried: Carried; path: string };

export async function showPackage(visit: Visit) {
  const { ask, askIfAny, say } = visit;
  const path = filledPath(visit, PAGE);
  const carried = await ask(`GET ${PACKAGE}`);
  const isDelivered = carried.status.code === DELIVERED;
  const [proof, answers, requests] = await Promise.all([
    isDelivered ? askIfAny(`GET ${PACKAGE}/proof`) : undefined,
    ask(`GET ${PACKAGE}/answers`),
    ask(`GET ${PACKAGE}/requests`),
  ]);
  const side = [
    carried.status.action_required && <AnswerForm {...{ carried, path }} answers={answers.data} />,
    <PackageActions carried={carried} path={path} />,
    <RequestForm path={path} status={carried.status} />,
    carried.status.stage !== 'cancelled' && <LabelsSection path={`${path}/label`} />,
  ];
  return (
    <SplitPage title={`${say(texts.package)} ${carried.tracking_code}`} side={side}>
      <PackageFacts carried={carried} />
      {proof && <ProofSection proof={proof} path={path} />}
      <TableIfAny caption={texts.answers} columns={answerColumns} rows={answers.data} />
      <TableIfAny caption={texts.requests} columns={requestColumns} rows={requests.data} />
      <Card title={texts.history}>
        <Timeline entries={[carried, ...carried.tracking_history].map((event) => entryOf(event, visit))} />
      </Card>
    </SplitPage>
  );
}

const ANSWERS = 'POST /api/v1/packages/{loggi_key}/answers';

/** Says why the package waits, with the form for the answer. */
function AnswerForm({ carried, answers, path }: CarriedProps & { answers: readonly Answer[] }) {
  const { say } = useVisit();
  const { action_required: action, updated_at: since } = carried.status;
  return (
    <Card title={texts.problem} id="answer">
      <p>{[<strong>{action?.reason_label}</strong>, `: ${action?.reason_description ?? ''}`]}</p>
      {answers.some(({ created_at: at }) => at >= since) && <p role="status">{say(texts.answeredHint)}</p>}
      <PostForm action={`${path}/answers`} operation={ANSWERS} submit={texts.sendAnswer}>
        <Field name="note" label={texts.note} maxLength={1000} />
        <Field name="phone" type="tel" label={texts.newPhone} maxLength={26} />
        <Field name="address.address" label={texts.newAddress} maxLength={255} />
        <Field name="address.complement" label={texts.complement} maxLength={255} />
        <Field name="instructions" label={texts.instructions} maxLength={255} />
      </PostForm>
    </Card>
  );
}

export const answer = calling(ANSWERS, PAGE, 'answered', ({ form: { text, optional } }) => ({
  phone: optional('phone'),
  instructions: optional('instructions'),
  note: optional('note'),
  address: optional('address.address') ? addressOf((path) => text(`address.${path}`).trim()) : undefined,
}));

function PackageFacts({ carried }: { carried: Carried }) {
  const { say } = useVisit();
  const { status, recipient, location, delivery_pin: pin, tracking_url: link } = carried;
  return factList([
    [texts.status, <StatusChip status={status} />],
    [texts.promised, <Promised {...carried} />],
    [packageTexts.expected, carried.expected_window && <HoursText {...carried.expected_window} />],
    [packageTexts.attempts, carried.attempts && <AttemptsText {...carried.attempts} />],
    [texts.location, placeText(location)],
    [texts.packageReference, carried.reference],
    [texts.recipient, recipient.name],
    [texts.phone, recipient.phone],
    [texts.address, addressText(carried.address)],
    [texts.readAs, <Placed place={carried.resolved_address} />],
    [texts.declared_value, carried.declared_value && <Money amount={carried.declared_value} />],
    [texts.order, <TextLink href={`/envios/orders/${carried.order_id}`} text={texts.seeOrder} />],
    [texts.pin, pin && [<strong>{pin}</strong>, ' ', <span class="hint">{say(texts.pinHint)}</span>]],
    [texts.link, link && [<TextLink href={link} text={texts.openLink} />, ' ', <Copy value={link} />]],
  ]);
}

/** The actions that a status allows, by the last part of their pages' paths. */
const actionsIn: Partial<Record<number, readonly ('address-change' | 'cancellation' | 'return')[]>> = {
  [FIRST_STATUS]: ['address-change', 'cancellation'],
  [DELIVERED]: ['return'],
};

function PackageActions({ carried, path }: CarriedProps) {
  const { returned_by: itsReturn, status } = carried;
  if (itsReturn !== undefined) return <LinkLine href={`/envios/orders/${itsReturn}`} text={texts.itsReturn} />;
  const links = actionsIn[status.code]?.map((action) => (
    <TextLink href={`${path}/${action}`} text={texts[action]} kind="button secondary" />
  ));
  return links ? <p class="send">{links}</p> : null;
}

type Event = Carried['tracking_history'][number];

const entryOf = ({ status, location, attempt }: Event, visit: Visit) => ({
  title: statusTitle(visit, status),
  at: status.updated_at,
  stage: stageOf(status),
  children: [
    placeText(location),
    attempt && attemptText(attempt, visit),
    status.reopened && visit.say(packageTexts.reopened),
  ]
    .filter(Boolean)
    .map((remark) => ` · ${remark}`),
});

const answerColumns: readonly Column<Answer>[] = [
  [texts.when, ({ created_at: at }) => <Time at={at} />],
  [
    texts.answer,
    ({ phone, address, instructions, note }) =>
      [phone, address && addressText(address), instructions, note].filter(Boolean).join(' · '),
  ],
  [texts.reply, ({ completion_note: reply }) => reply],
];

export const packageAddressChange = addressChange({
  operation: `POST ${PACKAGE}/address-change`,
  read: ({ ask }) => ask(`GET ${PACKAGE}`),
  change: async (visit, options) => {
    const { changed, order, previous_pricing: before } = await visit.ask(`POST ${PACKAGE}/address-change`, options);
    const carried = packageIn(order, visit);
    return { changed, carried, place: carried.resolved_address, before: before.total, after: order.pricing.total };
  },
});

function packageIn({ packages }: RestSchemas['Order'], visit: Visit): RestSchemas['OrderPackage'] {
  const changed = packages.find((each) => each.loggi_key === param(visit, 'loggi_key'));
  if (!changed) throw new Error('an answer about a package does not have it');
  return changed;
}

export const cancellation = ending({
  submit: texts.cancellation,
  operation: `POST ${PACKAGE}/cancellation`,
  back: PAGE,
  body: {},
  refused: showPackage,
  about: async (visit) => {
    const preview = { body: { preview: true } };
    const { order, previous_pricing: before } = await visit.ask(`POST ${PACKAGE}/cancellation`, preview);
    return {
      subject: packageIn(order, visit).tracking_code,
      consequences: [texts.cancelHint],
      facts: [
        [texts.priceBefore, <Money amount={before.total} />],
        [texts.priceAfter, <Money amount={order.pricing.total} />],
      ],
    };
  },
});
