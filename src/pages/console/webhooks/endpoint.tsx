import {
  type Column,
  EndingLink,
  Facts,
  Field,
  Listing,
  PostForm,
  pageQuery,
  Section,
  TableSection,
  useVisit,
} from '../../design/index.js';
import type { Text } from '../../language.js';
import { Say } from '../../page.js';
import { answerOf, dataOf, type OperationName, type Schemas } from '../../session/operations.js';
import { calling, keyed, param, pathId, redirect, type Visit } from '../../session/visit.js';
import { webhookTexts as texts } from '../../texts.js';
import { Time } from '../../times.js';
import type { Ending } from '../ending.js';
import { show } from '../frame.js';
import { attemptColumns, Delivery } from './delivery.js';
import { type Endpoint, State, showSecret } from './list.js';

export async function showEndpoint(visit: Visit): Promise<void> {
  const { operator } = visit;
  const params = pathId(visit);
  const query = pageQuery(visit);
  const [{ data: endpoint, response }, attempts, letters] = await Promise.all([
    answerOf(operator.GET('/operator/v1/webhook-endpoints/{id}', { params })),
    dataOf(operator.GET('/operator/v1/webhook-endpoints/{id}/attempts', { params: { ...params, query } })),
    dataOf(operator.GET('/operator/v1/webhook-endpoints/{id}/dead-letters', { params })),
  ]);
  if (!endpoint) return;
  show(
    visit,
    endpoint.url,
    <>
      <EndpointFacts endpoint={endpoint} />
      <UpdateForm endpoint={endpoint} etag={response.headers.get('etag') ?? ''} />
      <EndpointActions endpoint={endpoint} />
      <TableSection caption={texts.deadLetters} columns={letterColumns} rows={letters.data} />
      <Section title={texts.attempts}>
        <Listing caption={texts.attempts} columns={attemptColumns} list={attempts} />
      </Section>
    </>,
  );
}

const EndpointFacts = ({ endpoint }: { endpoint: Endpoint }) => (
  <Facts
    facts={[
      [texts.state, <State endpoint={endpoint} />],
      [
        texts.account,
        <a href={`/console/users/${endpoint.user_id}`}>
          <Say text={texts.seeAccount} />
        </a>,
      ],
      [texts.failingSince, endpoint.failing_since && <Time at={endpoint.failing_since} />],
      [texts.lastFailure, endpoint.last_failure?.error ?? endpoint.last_failure?.status_code],
      [texts.waiting, endpoint.pending_count],
      [texts.deadLetters, endpoint.dead_letter_count],
      [texts.lanes, endpoint.lanes],
    ]}
  />
);

function UpdateForm({ endpoint, etag }: { endpoint: Endpoint; etag: string }) {
  const { say, refusal } = useVisit();
  const { id, url, username, lanes } = endpoint;
  return (
    <Section title={texts.change}>
      {refusal?.code === 'PRECONDITION_FAILED' && (
        <p>
          {say(texts.stored)}{' '}
          <code>
            {url}, {username}, {lanes}
          </code>
        </p>
      )}
      <PostForm
        action={`/console/webhook-endpoints/${id}`}
        operation="PUT /operator/v1/webhook-endpoints/{id}"
        submit={texts.save}
        hidden={{ etag }}
      >
        <Field name="url" type="url" label={texts.address} isRequired value={url} />
        <Field name="username" label={texts.username} isRequired value={username} />
        <Field name="password" type="password" label={texts.newPassword} autocomplete="new-password" />
        <Field name="lanes" type="number" label={texts.lanes} value={String(lanes)} />
      </PostForm>
    </Section>
  );
}

export async function updateEndpoint(visit: Visit): Promise<void> {
  const { form, operator } = visit;
  const lanes = form.optional('lanes');
  const body = {
    url: form.text('url').trim(),
    username: form.text('username'),
    ...(form.optional('password') !== undefined && { password: form.text('password') }),
    ...(lanes !== undefined && { lanes: Number(lanes) }),
  };
  const params = { ...pathId(visit), header: { 'If-Match': form.text('etag') } };
  await answerOf(operator.PUT('/operator/v1/webhook-endpoints/{id}', { params, body }));
  redirect(visit, `/console/webhook-endpoints/${param(visit, 'id')}?done=saved`);
}

const ENDPOINT = '/operator/v1/webhook-endpoints/{id}';

function EndpointActions({ endpoint }: { endpoint: Endpoint }) {
  const isActive = endpoint.state === 'active';
  const at = `/console/webhook-endpoints/${endpoint.id}`;
  const form = (name: string, operation: OperationName, submit: Text, isDangerous = false) => (
    <PostForm action={`${at}/${name}`} {...{ operation, submit, isDangerous }} />
  );
  return (
    <Section title={texts.actions}>
      {isActive && form('send-now', 'POST /operator/v1/send-now', texts.sendNow)}
      {isActive && form('test', `POST ${ENDPOINT}/test`, texts.test)}
      {endpoint.dead_letter_count > 0 && form('replay', `POST ${ENDPOINT}/replay`, texts.replay)}
      {isActive ? (
        <EndingLink href={`${at}/disable`} text={texts.disable} />
      ) : (
        form('enable', `POST ${ENDPOINT}/enable`, texts.enable)
      )}
      {form('secret-rotation', `POST ${ENDPOINT}/secret-rotation`, texts.rotate, true)}
      <EndingLink href={`${at}/deletion`} text={texts.delete} />
    </Section>
  );
}

export async function testEndpoint(visit: Visit): Promise<void> {
  const params = { ...pathId(visit), ...keyed(visit) };
  const sent = await dataOf(visit.operator.POST('/operator/v1/webhook-endpoints/{id}/test', { params }));
  redirect(visit, `/console/deliveries/${sent.webhook_id}`);
}

export async function rotateSecret(visit: Visit): Promise<void> {
  const params = { ...pathId(visit), ...keyed(visit) };
  const rotated = await dataOf(visit.operator.POST('/operator/v1/webhook-endpoints/{id}/secret-rotation', { params }));
  showSecret(visit, params.path.id, rotated.signing_secret);
}

const PAGE = '/console/webhook-endpoints/{id}';
export const sendNowTo = calling('POST /operator/v1/send-now', PAGE, 'sent', (visit) => ({
  endpoint_id: param(visit, 'id'),
}));
export const replayDeadLetters = calling(`POST ${ENDPOINT}/replay`, PAGE, 'sent', () => ({
  dead_letters: true as const,
}));
export const enableEndpoint = calling(`POST ${ENDPOINT}/enable`, PAGE);

const storedEndpoint = (visit: Visit): Promise<Endpoint> =>
  dataOf(visit.operator.GET(ENDPOINT, { params: pathId(visit) }));

export const disabling: Ending = {
  submit: texts.disable,
  operation: `POST ${ENDPOINT}/disable`,
  work: calling(`POST ${ENDPOINT}/disable`, PAGE),
  back: PAGE,
  about: async (visit) => {
    const { url, pending_count: waiting } = await storedEndpoint(visit);
    return { subject: url, consequences: [texts.disableHint, [texts.waitingStay, waiting]] };
  },
};

export const deletion: Ending = {
  submit: texts.delete,
  operation: `DELETE ${ENDPOINT}`,
  work: calling(`DELETE ${ENDPOINT}`, '/console/webhook-endpoints'),
  back: PAGE,
  about: async (visit) => {
    const { url, pending_count: waiting, dead_letter_count: letters } = await storedEndpoint(visit);
    return {
      subject: url,
      consequences: [texts.deleteHint, [texts.waitingEnd, waiting], [texts.lettersEnd, letters]],
      ...(waiting + letters > 0 && { name: new URL(url).host }),
    };
  },
};

const letterColumns: readonly Column<Schemas['DeliverySummary']>[] = [
  [texts.delivery, ({ webhook_id: id }) => <Delivery id={id} />],
  [texts.packages, ({ package_count: count }) => count, 'number'],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
  [texts.ended, ({ ended_at: at }) => at && <Time at={at} />],
];
