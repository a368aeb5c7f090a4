import { parseJson } from '../../../base/values.js';
import {
  type Column,
  Copy,
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
import { Say, Verbatim, Word } from '../../page.js';
import { answerOf, dataOf, type OperationName, type Schemas } from '../../session/operations.js';
import { calling, keyed, param, pathId, redirect, type Visit } from '../../session/visit.js';
import { deliveryKinds, deliveryStates, webhookTexts as texts, webhookOutcomes } from '../../texts.js';
import { Time } from '../../times.js';
import { show } from '../frame.js';
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
  const form = (name: string, operation: OperationName, submit: Text, isDangerous = false) => (
    <PostForm action={`/console/webhook-endpoints/${endpoint.id}/${name}`} {...{ operation, submit, isDangerous }} />
  );
  return (
    <Section title={texts.actions}>
      {isActive && form('send-now', 'POST /operator/v1/send-now', texts.sendNow)}
      {isActive && form('test', `POST ${ENDPOINT}/test`, texts.test)}
      {endpoint.dead_letter_count > 0 && form('replay', `POST ${ENDPOINT}/replay`, texts.replay)}
      {isActive
        ? form('disable', `POST ${ENDPOINT}/disable`, texts.disable, true)
        : form('enable', `POST ${ENDPOINT}/enable`, texts.enable)}
      {form('secret-rotation', `POST ${ENDPOINT}/secret-rotation`, texts.rotate, true)}
      {form('deletion', `DELETE ${ENDPOINT}`, texts.delete, true)}
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
export const disableEndpoint = calling(`POST ${ENDPOINT}/disable`, PAGE);
export const enableEndpoint = calling(`POST ${ENDPOINT}/enable`, PAGE);
export const deleteEndpoint = calling(`DELETE ${ENDPOINT}`, '/console/webhook-endpoints');

const Delivery = ({ id }: { id: string }) => (
  <a href={`/console/deliveries/${id}`}>
    <Say text={texts.seeDelivery} />
  </a>
);

const letterColumns: readonly Column<Schemas['DeliverySummary']>[] = [
  [texts.delivery, ({ webhook_id: id }) => <Delivery id={id} />],
  [texts.packages, ({ package_count: count }) => count, 'number'],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
  [texts.ended, ({ ended_at: at }) => at && <Time at={at} />],
];

const attemptColumns: readonly Column<Schemas['WebhookAttempt']>[] = [
  [texts.when, ({ attempted_at: at }) => <Time at={at} />],
  [texts.delivery, ({ webhook_id: id }) => <Delivery id={id} />],
  [texts.number, ({ number }) => number, 'number'],
  [
    texts.outcome,
    ({ outcome, status_code: status }) => (
      <>
        <Word of={webhookOutcomes} value={outcome} /> {status}
      </>
    ),
  ],
  [texts.answer, ({ error, response_body: body }) => <Verbatim>{error ?? body?.slice(0, 200)}</Verbatim>],
  [texts.duration, ({ duration_ms: ms }) => `${ms} ms`, 'number'],
];

/** JSON with line breaks, and any other text as it is. */
function readable(body: string): string {
  const value = parseJson(body);
  return value === undefined ? body : JSON.stringify(value, null, 2);
}

export async function showDelivery(visit: Visit): Promise<void> {
  const { operator, say } = visit;
  const params = { path: { webhook_id: param(visit, 'webhook_id') } };
  const delivery = await dataOf(operator.GET('/operator/v1/deliveries/{webhook_id}', { params }));
  const { webhook_id: id, endpoint_id: endpoint, next_attempt_at: next, ended_at: ended, body } = delivery;
  show(
    visit,
    texts.delivery,
    <>
      <Facts
        facts={[
          [texts.deliveryId, <Copy value={id} />],
          [texts.endpoints, <a href={`/console/webhook-endpoints/${endpoint}`}>{say(texts.seeEndpoint)}</a>],
          [texts.kind, <Word of={deliveryKinds} value={delivery.kind} />],
          [texts.state, <Word of={deliveryStates} value={delivery.state} />],
          [texts.packages, delivery.package_count],
          [texts.created, <Time at={delivery.created_at} />],
          [texts.ended, ended && <Time at={ended} />],
          [texts.nextAttempt, next && <Time at={next} />],
        ]}
      />
      <PostForm action={`/console/deliveries/${id}/replay`} operation={REPLAY} submit={texts.replayOne} />
      <TableSection caption={texts.attempts} columns={attemptColumns} rows={delivery.attempts} />
      {body !== undefined && (
        <details>
          <summary>{say(texts.body)}</summary>
          <pre>
            <Verbatim>{readable(body)}</Verbatim>
          </pre>
        </details>
      )}
    </>,
  );
}

const REPLAY = 'POST /operator/v1/deliveries/{webhook_id}/replay';
export const replayDelivery = calling(REPLAY, '/console/deliveries/{webhook_id}', 'sent');
