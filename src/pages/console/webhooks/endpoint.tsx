import type { Text } from '../../language.js';
import { Facts, Field, PostForm, Section, Time, useVisit } from '../components.js';
import { show } from '../frame.js';
import { type Column, Listing, pageQuery, Table } from '../lists.js';
import { answerOf, dataOf, type Schemas } from '../operations.js';
import { keyed, param, pathId, redirect, type Visit } from '../visit.js';
import { type Endpoint, State, showSecret } from './list.js';
import { texts } from './texts.js';

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
      <Section title={texts.deadLetters}>
        <Table caption={texts.deadLetters} columns={letterColumns} rows={letters.data} />
      </Section>
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
      [texts.account, <a href={`/console/users/${endpoint.user_id}`}>{endpoint.user_id}</a>],
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
  backTo(visit, 'saved');
}

const backTo = (visit: Visit, done: string) =>
  redirect(visit, `/console/webhook-endpoints/${param(visit, 'id')}?done=${done}`);

function EndpointActions({ endpoint }: { endpoint: Endpoint }) {
  const isActive = endpoint.state === 'active';
  const at = `/operator/v1/webhook-endpoints/{id}`;
  const form = (name: string, submit: Text, isDangerous = false, operation = `POST ${at}/${name}`) => (
    <PostForm action={`/console/webhook-endpoints/${endpoint.id}/${name}`} {...{ operation, submit, isDangerous }} />
  );
  return (
    <Section title={texts.actions}>
      {isActive && form('send-now', texts.sendNow, false, 'POST /operator/v1/send-now')}
      {isActive && form('test', texts.test)}
      {endpoint.dead_letter_count > 0 && form('replay', texts.replay)}
      {isActive ? form('disable', texts.disable, true) : form('enable', texts.enable)}
      {form('secret-rotation', texts.rotate, true)}
      {form('deletion', texts.delete, true, `DELETE ${at}`)}
    </Section>
  );
}

/** Calls the operation that the last part of the path names. */
export async function actOnEndpoint(visit: Visit): Promise<void> {
  const { operator } = visit;
  const { path } = pathId(visit);
  const params = { path, ...keyed(visit) };
  switch (param(visit, 'action')) {
    case 'send-now':
      await answerOf(operator.POST('/operator/v1/send-now', { params: keyed(visit), body: { endpoint_id: path.id } }));
      return backTo(visit, 'sent');
    case 'test': {
      const sent = await dataOf(operator.POST('/operator/v1/webhook-endpoints/{id}/test', { params }));
      return redirect(visit, `/console/deliveries/${sent.webhook_id}`);
    }
    case 'replay': {
      const body = { dead_letters: true } as const;
      await answerOf(operator.POST('/operator/v1/webhook-endpoints/{id}/replay', { params, body }));
      return backTo(visit, 'sent');
    }
    case 'disable':
      await answerOf(operator.POST('/operator/v1/webhook-endpoints/{id}/disable', { params }));
      return backTo(visit, 'saved');
    case 'enable':
      await answerOf(operator.POST('/operator/v1/webhook-endpoints/{id}/enable', { params }));
      return backTo(visit, 'saved');
    case 'secret-rotation': {
      const rotated = await dataOf(operator.POST('/operator/v1/webhook-endpoints/{id}/secret-rotation', { params }));
      return showSecret(visit, path.id, rotated.signing_secret);
    }
    case 'deletion':
      await answerOf(operator.DELETE('/operator/v1/webhook-endpoints/{id}', { params: { path } }));
      return redirect(visit, '/console/webhook-endpoints?done=saved');
    default:
      return backTo(visit, '');
  }
}

const Delivery = ({ id }: { id: string }) => (
  <a href={`/console/deliveries/${id}`}>
    <code>{id}</code>
  </a>
);

const letterColumns: readonly Column<Schemas['DeliverySummary']>[] = [
  [texts.delivery, ({ webhook_id: id }) => <Delivery id={id} />],
  [texts.packages, ({ package_count: count }) => count, 'number'],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
  [texts.ended, ({ ended_at: at }) => at && <Time at={at} />],
];

export const attemptColumns: readonly Column<Schemas['WebhookAttempt']>[] = [
  [texts.when, ({ attempted_at: at }) => <Time at={at} />],
  [texts.delivery, ({ webhook_id: id }) => <Delivery id={id} />],
  [texts.number, ({ number }) => number, 'number'],
  [texts.outcome, ({ outcome, status_code: status }) => [outcome, status].filter(Boolean).join(' ')],
  [texts.answer, ({ error, response_body: body }) => <span lang="en">{error ?? body?.slice(0, 200)}</span>],
  [texts.duration, ({ duration_ms: ms }) => `${ms} ms`, 'number'],
];
