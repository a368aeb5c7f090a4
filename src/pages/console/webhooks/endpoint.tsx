import { OVERLAP_HOURS } from '../../../outbox/endpoints.js';
import { Field, PostForm } from '../../design/forms.js';
import { SplitPage } from '../../design/frame.js';
import { Card, EndingLink, factList, Section } from '../../design/pieces.js';
import { type Column, Listing, pageQuery, TableIfAny } from '../../design/tables.js';
import { attemptColumns, DeliveryLink, deliveryPage, type Endpoint, EndpointState } from '../../parcel/webhooks.js';
import { ending } from '../../session/ending.js';
import type { OperationName } from '../../session/operations.js';
import { calling, keyed, param, type Schemas, type Visit } from '../../session/visit.js';
import { filled, type Text, webhookTexts as texts } from '../../texts.js';
import { NumberText, Time } from '../../written.js';
import { Named, type Names, namesOf } from '../names.js';
import { SigningSecret } from './list.js';

const PAGE = '/console/webhook-endpoints/{id}';
const ENDPOINT = '/operator/v1/webhook-endpoints/{id}';

export async function showEndpoint(visit: Visit) {
  const { ask, askVersion } = visit;
  const [{ data: endpoint, version }, attempts, letters] = await Promise.all([
    askVersion(`GET ${ENDPOINT}`),
    ask(`GET ${ENDPOINT}/attempts`, { query: pageQuery(visit) }),
    ask(`GET ${ENDPOINT}/dead-letters`),
  ]);
  const names = await namesOf(visit, [endpoint.user_id]);
  const side = [<EndpointActions endpoint={endpoint} />, <UpdateForm {...{ endpoint, version }} />];
  return (
    <SplitPage title={endpoint.url} side={side}>
      <EndpointFacts {...{ endpoint, names }} />
      <TableIfAny caption={texts.deadLetters} columns={letterColumns} rows={letters.data} />
      <Section title={texts.attempts}>
        <Listing caption={texts.attempts} columns={attemptColumns} list={attempts} />
      </Section>
    </SplitPage>
  );
}

const EndpointFacts = ({ endpoint, names }: { endpoint: Endpoint; names: Names }) =>
  factList([
    [texts.state, <EndpointState {...endpoint} />],
    [texts.account, <Named id={endpoint.user_id} {...{ names }} />],
    [texts.failingSince, endpoint.failing_since && <Time at={endpoint.failing_since} />],
    [texts.lastFailure, endpoint.last_failure?.error ?? endpoint.last_failure?.status_code],
    [texts.waiting, <NumberText of={endpoint.pending_count} />],
    [texts.deadLetters, <NumberText of={endpoint.dead_letter_count} />],
    [texts.lanes, endpoint.lanes],
  ]);

const UPDATE = 'PUT /operator/v1/webhook-endpoints/{id}';

const UpdateForm = ({ endpoint, version }: { endpoint: Endpoint; version: string }) => (
  <Card title={texts.change}>
    <PostForm
      action={`/console/webhook-endpoints/${endpoint.id}`}
      operation={UPDATE}
      submit={texts.save}
      hidden={{ version }}
    >
      <Field name="url" type="url" label={texts.address} isRequired value={endpoint.url} />
      <Field name="username" label={texts.username} isRequired value={endpoint.username} />
      <Field name="password" type="password" label={texts.newPassword} autocomplete="new-password" />
      <Field name="lanes" type="number" label={texts.lanes} value={String(endpoint.lanes)} />
    </PostForm>
  </Card>
);

export const updateEndpoint = calling(UPDATE, PAGE, 'saved', ({ form: { text, password, number } }) => ({
  url: text('url').trim(),
  username: text('username'),
  password: password('password'),
  lanes: number('lanes'),
}));

function EndpointActions({ endpoint }: { endpoint: Endpoint }) {
  const isActive = endpoint.state === 'active';
  const at = `/console/webhook-endpoints/${endpoint.id}`;
  const form = (name: string, operation: OperationName, submit: Text, kind?: 'secondary') => (
    <PostForm action={`${at}/${name}`} {...{ operation, submit, kind }} />
  );
  return (
    <Section title={texts.actions} kind="actions">
      {isActive && form('send-now', 'POST /operator/v1/send-now', texts.sendNow)}
      {isActive && form('test', `POST ${ENDPOINT}/test`, texts.test, 'secondary')}
      {endpoint.dead_letter_count > 0 && form('replay', `POST ${ENDPOINT}/replay`, texts.replay, 'secondary')}
      {isActive ? (
        <EndingLink href={`${at}/disable`} text={texts.disable} />
      ) : (
        form('enable', `POST ${ENDPOINT}/enable`, texts.enable)
      )}
      <EndingLink href={`${at}/secret-rotation`} text={texts.rotate} />
      <EndingLink href={`${at}/deletion`} text={texts.delete} />
    </Section>
  );
}

export async function testEndpoint(visit: Visit): Promise<string> {
  const { webhook_id: id } = await visit.ask(`POST ${ENDPOINT}/test`, keyed(visit));
  return `/console/deliveries/${id}`;
}

const hours = { hours: String(OVERLAP_HOURS) };
const withHours = (text: Text): Text => ({ 'pt-BR': filled(text['pt-BR'], hours), en: filled(text.en, hours) });

export const secretRotation = ending({
  submit: texts.rotate,
  operation: `POST ${ENDPOINT}/secret-rotation`,
  back: PAGE,
  about: async ({ ask }) => {
    const { url: subject } = await ask(`GET ${ENDPOINT}`);
    return { subject, consequences: [texts.rotateHint, texts.rotateAgainHint].map(withHours) };
  },
  work: async (visit) => {
    const answer = await visit.ask(`POST ${ENDPOINT}/secret-rotation`, keyed(visit));
    const { signing_secret: secret, previous_valid_until: until } = answer;
    return <SigningSecret id={param(visit, 'id')} secret={secret} previousUntil={until} />;
  },
});

export const sendNowTo = calling('POST /operator/v1/send-now', PAGE, 'sent', (visit) => ({
  endpoint_id: param(visit, 'id'),
}));
export const replayDeadLetters = calling(`POST ${ENDPOINT}/replay`, PAGE, 'sent', () => ({
  dead_letters: true as const,
}));
export const enableEndpoint = calling(`POST ${ENDPOINT}/enable`, PAGE);

export const disabling = ending({
  submit: texts.disable,
  operation: `POST ${ENDPOINT}/disable`,
  back: PAGE,
  about: async ({ ask }) => {
    const { url, pending_count: waiting } = await ask(`GET ${ENDPOINT}`);
    return { subject: url, consequences: [texts.disableHint, [texts.waitingStay, waiting]] };
  },
});

export const deletion = ending({
  submit: texts.delete,
  operation: `DELETE ${ENDPOINT}`,
  back: PAGE,
  next: '/console/webhook-endpoints',
  about: async ({ ask }) => {
    const { url, pending_count: waiting, dead_letter_count: letters } = await ask(`GET ${ENDPOINT}`);
    return {
      subject: url,
      consequences: [texts.deleteHint, [texts.waitingEnd, waiting], [texts.lettersEnd, letters]],
      ...(waiting + letters > 0 && { name: new URL(url).host }),
    };
  },
});

const letterColumns: readonly Column<Schemas['DeliverySummary']>[] = [
  [texts.created, ({ webhook_id: id, created_at: at }) => <DeliveryLink {...{ id, at }} />],
  [texts.packages, ({ package_count: count }) => count, 'number'],
  [texts.ended, ({ ended_at: at }) => at && <Time at={at} />],
];

const REPLAY = 'POST /operator/v1/deliveries/{webhook_id}/replay';

export const delivery = deliveryPage('GET /operator/v1/deliveries/{webhook_id}', (path) => (
  <PostForm action={`${path}/replay`} operation={REPLAY} submit={texts.replayOne} />
));

export const replayDelivery = calling(REPLAY, '/console/deliveries/{webhook_id}', 'sent');
