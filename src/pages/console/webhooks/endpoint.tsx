import { Facts, Field, HiddenFields, OperationForm, Time } from '../components.js';
import type { Form } from '../forms.js';
import { show } from '../frame.js';
import { type Column, Listing, pageQuery, Table } from '../lists.js';
import { answerOf, dataOf, type RefusalError, type Schemas } from '../operations.js';
import { redirect, type Visit } from '../visit.js';
import { type Endpoint, showSecret, stateOf } from './list.js';
import { texts } from './texts.js';

const idOf = ({ req }: Visit): string => String(req.params['id']);
const pathOf = (visit: Visit) => ({ path: { id: idOf(visit) } });

/** `GET /console/webhook-endpoints/{id}` */
export async function showEndpoint(visit: Visit, refusal?: RefusalError, form?: Form): Promise<void> {
  const { operator, say } = visit;
  const params = pathOf(visit);
  const query = pageQuery(visit);
  const [{ data: endpoint, response }, attempts, letters] = await Promise.all([
    answerOf(operator.GET('/operator/v1/webhook-endpoints/{id}', { params })),
    dataOf(operator.GET('/operator/v1/webhook-endpoints/{id}/attempts', { params: { ...params, query } })),
    dataOf(operator.GET('/operator/v1/webhook-endpoints/{id}/dead-letters', { params })),
  ]);
  if (!endpoint) return;
  const typed = form?.text('etag') ? form : undefined;
  show(
    visit,
    endpoint.url,
    <>
      <EndpointFacts visit={visit} endpoint={endpoint} />
      <UpdateForm
        visit={visit}
        endpoint={endpoint}
        etag={response.headers.get('etag') ?? ''}
        form={typed}
        isStale={refusal?.code === 'PRECONDITION_FAILED'}
      />
      <EndpointActions visit={visit} endpoint={endpoint} />
      <section>
        <h2>{say(texts.deadLetters)}</h2>
        <Table visit={visit} caption={texts.deadLetters} columns={letterColumns(visit)} rows={letters.data} />
      </section>
      <section>
        <h2>{say(texts.attempts)}</h2>
        <Listing visit={visit} caption={texts.attempts} columns={attemptColumns(visit)} list={attempts} />
      </section>
    </>,
    { refusal },
  );
}

const EndpointFacts = ({ visit, endpoint }: { visit: Visit; endpoint: Endpoint }) => (
  <Facts
    visit={visit}
    facts={[
      [texts.state, stateOf(visit, endpoint)],
      [texts.account, <a href={`/console/users/${endpoint.user_id}`}>{endpoint.user_id}</a>],
      [texts.failingSince, endpoint.failing_since ? <Time visit={visit} at={endpoint.failing_since} /> : '–'],
      [texts.lastFailure, endpoint.last_failure?.error ?? endpoint.last_failure?.status_code ?? '–'],
      [texts.waiting, endpoint.pending_count],
      [texts.deadLetters, endpoint.dead_letter_count],
      [texts.lanes, endpoint.lanes],
    ]}
  />
);

interface UpdateProps {
  visit: Visit;
  endpoint: Endpoint;
  etag: string;
  form: Form | undefined;
  /** Whether it has changed since the form was made. */
  isStale: boolean;
}

function UpdateForm({ visit, endpoint, etag, form, isStale }: UpdateProps) {
  const { say } = visit;
  return (
    <section>
      <h2>{say(texts.change)}</h2>
      {isStale && (
        <p>
          {say(texts.stored)}{' '}
          <code>
            {endpoint.url}, {endpoint.username}, {endpoint.lanes}
          </code>
        </p>
      )}
      <OperationForm
        visit={visit}
        action={`/console/webhook-endpoints/${endpoint.id}`}
        operation="PUT /operator/v1/webhook-endpoints/{id}"
        submit={texts.save}
      >
        <HiddenFields fields={{ etag }} />
        <Field
          visit={visit}
          name="url"
          type="url"
          label={texts.address}
          isRequired
          value={form?.text('url') ?? endpoint.url}
        />
        <Field
          visit={visit}
          name="username"
          label={texts.username}
          isRequired
          value={form?.text('username') ?? endpoint.username}
        />
        <Field visit={visit} name="password" type="password" label={texts.newPassword} autocomplete="new-password" />
        <Field
          visit={visit}
          name="lanes"
          type="number"
          label={texts.lanes}
          value={form?.text('lanes') ?? String(endpoint.lanes)}
        />
      </OperationForm>
    </section>
  );
}

/** `POST /console/webhook-endpoints/{id}` */
export async function updateEndpoint(visit: Visit, form: Form): Promise<void> {
  const lanes = form.optional('lanes');
  const body = {
    url: form.text('url').trim(),
    username: form.text('username'),
    ...(form.optional('password') !== undefined && { password: form.text('password') }),
    ...(lanes !== undefined && { lanes: Number(lanes) }),
  };
  const params = { ...pathOf(visit), header: { 'If-Match': form.text('etag') } };
  await answerOf(visit.operator.PUT('/operator/v1/webhook-endpoints/{id}', { params, body }));
  backTo(visit, 'saved');
}

const backTo = (visit: Visit, done: string) =>
  redirect(visit, `/console/webhook-endpoints/${idOf(visit)}?done=${done}`);

function EndpointActions({ visit, endpoint }: { visit: Visit; endpoint: Endpoint }) {
  const { say } = visit;
  const isActive = endpoint.state === 'active';
  const form = (name: string, operation: string, submit: (typeof texts)[keyof typeof texts], isDangerous = false) => (
    <OperationForm
      visit={visit}
      action={`/console/webhook-endpoints/${endpoint.id}/${name}`}
      operation={operation}
      submit={submit}
      isDangerous={isDangerous}
    />
  );
  return (
    <section>
      <h2>{say(texts.actions)}</h2>
      {isActive && form('send-now', 'POST /operator/v1/send-now', texts.sendNow)}
      {isActive && form('test', 'POST /operator/v1/webhook-endpoints/{id}/test', texts.test)}
      {endpoint.dead_letter_count > 0 &&
        form('replay', 'POST /operator/v1/webhook-endpoints/{id}/replay', texts.replay)}
      {isActive
        ? form('disable', 'POST /operator/v1/webhook-endpoints/{id}/disable', texts.disable, true)
        : form('enable', 'POST /operator/v1/webhook-endpoints/{id}/enable', texts.enable)}
      {form('secret-rotation', 'POST /operator/v1/webhook-endpoints/{id}/secret-rotation', texts.rotate, true)}
      {form('deletion', 'DELETE /operator/v1/webhook-endpoints/{id}', texts.delete, true)}
    </section>
  );
}

/** `POST /console/webhook-endpoints/{id}/<action>` */
export async function actOnEndpoint(visit: Visit, form: Form): Promise<void> {
  const { operator, req } = visit;
  const header = { 'Idempotency-Key': form.text('key') };
  const params = { ...pathOf(visit), header };
  const endpointId = idOf(visit);
  switch (req.params['action']) {
    case 'send-now':
      await answerOf(operator.POST('/operator/v1/send-now', { params: { header }, body: { endpoint_id: endpointId } }));
      return backTo(visit, 'sent');
    case 'test': {
      const sent = await dataOf(operator.POST('/operator/v1/webhook-endpoints/{id}/test', { params }));
      return redirect(visit, `/console/deliveries/${sent.webhook_id}`);
    }
    case 'replay':
      await answerOf(
        operator.POST('/operator/v1/webhook-endpoints/{id}/replay', { params, body: { dead_letters: true } }),
      );
      return backTo(visit, 'sent');
    case 'disable':
      await answerOf(operator.POST('/operator/v1/webhook-endpoints/{id}/disable', { params }));
      return backTo(visit, 'saved');
    case 'enable':
      await answerOf(operator.POST('/operator/v1/webhook-endpoints/{id}/enable', { params }));
      return backTo(visit, 'saved');
    case 'secret-rotation': {
      const rotated = await dataOf(operator.POST('/operator/v1/webhook-endpoints/{id}/secret-rotation', { params }));
      return showSecret(visit, endpointId, rotated.signing_secret);
    }
    case 'deletion':
      await answerOf(operator.DELETE('/operator/v1/webhook-endpoints/{id}', { params: pathOf(visit) }));
      return redirect(visit, '/console/webhook-endpoints?done=saved');
    default:
      return backTo(visit, '');
  }
}

const letterColumns = (visit: Visit): Column<Schemas['DeliverySummary']>[] => [
  {
    heading: texts.delivery,
    cell: ({ webhook_id: id }) => (
      <a href={`/console/deliveries/${id}`}>
        <code>{id}</code>
      </a>
    ),
  },
  { heading: texts.packages, cell: ({ package_count: count }) => count, isNumber: true },
  { heading: texts.created, cell: ({ created_at: at }) => <Time visit={visit} at={at} /> },
  { heading: texts.ended, cell: ({ ended_at: at }) => at && <Time visit={visit} at={at} /> },
];

export const attemptColumns = (visit: Visit): Column<Schemas['WebhookAttempt']>[] => [
  { heading: texts.when, cell: ({ attempted_at: at }) => <Time visit={visit} at={at} /> },
  {
    heading: texts.delivery,
    cell: ({ webhook_id: id }) => (
      <a href={`/console/deliveries/${id}`}>
        <code>{id}</code>
      </a>
    ),
  },
  { heading: texts.number, cell: ({ number }) => number, isNumber: true },
  { heading: texts.outcome, cell: ({ outcome, status_code: status }) => [outcome, status].filter(Boolean).join(' ') },
  {
    heading: texts.answer,
    cell: ({ error, response_body: body }) => <span lang="en">{error ?? body?.slice(0, 200)}</span>,
  },
  { heading: texts.duration, cell: ({ duration_ms: ms }) => `${ms} ms`, isNumber: true },
];
