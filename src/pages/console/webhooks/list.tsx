import { isId } from '../../../base/ids.js';
import { Choice, Field, Time } from '../components.js';
import type { Form } from '../forms.js';
import { show } from '../frame.js';
import { type Column, Listing, pageQuery } from '../lists.js';
import { dataOf, type RefusalError, type Schemas } from '../operations.js';
import type { Visit } from '../visit.js';
import { texts } from './texts.js';

export type Endpoint = Schemas['WebhookEndpoint'];

const kinds = ['active', 'disabled', 'trouble'] as const;

export const stateOf = ({ say }: Visit, { state, disabled_reason: reason }: Endpoint): string =>
  state === 'active' ? say(texts.active) : [say(texts.disabled), reason].filter(Boolean).join(': ');

/** `GET /console/webhook-endpoints` */
export async function showEndpoints(visit: Visit, refusal?: RefusalError, form?: Form): Promise<void> {
  const { operator, say, url } = visit;
  const which = kinds.find((kind) => kind === url.searchParams.get('which'));
  const userId = url.searchParams.get('user_id') ?? '';
  const query = {
    ...pageQuery(visit),
    ...(which === 'trouble' ? { trouble: true } : which && { state: which }),
    ...(isId(userId) && { user_id: userId }),
  };
  const endpoints = await dataOf(operator.GET('/operator/v1/webhook-endpoints', { params: { query } }));
  const options = [
    { value: '', text: say(texts.every) },
    ...kinds.map((kind) => ({ value: kind, text: say(texts[kind]) })),
  ];
  show(
    visit,
    say(texts.endpoints),
    <Listing
      visit={visit}
      caption={texts.endpoints}
      columns={endpointColumns(visit)}
      list={endpoints}
      filters={<Choice visit={visit} name="which" label={texts.which} value={which} options={options} />}
      addition={{
        action: '/console/webhook-endpoints',
        operation: 'POST /operator/v1/webhook-endpoints',
        submit: texts.register,
        children: <EndpointFields visit={visit} form={form} userId={userId} />,
      }}
    />,
    { refusal },
  );
}

function EndpointFields({ visit, form, userId }: { visit: Visit; form: Form | undefined; userId: string }) {
  return (
    <>
      <Field visit={visit} name="user_id" label={texts.accountId} isRequired value={form?.text('user_id') ?? userId} />
      <Field visit={visit} name="url" type="url" label={texts.address} isRequired value={form?.text('url')} />
      <Field visit={visit} name="username" label={texts.username} isRequired value={form?.text('username')} />
      <Field
        visit={visit}
        name="password"
        type="password"
        label={texts.password}
        isRequired
        autocomplete="new-password"
      />
    </>
  );
}

const endpointColumns = (visit: Visit): Column<Endpoint>[] => [
  { heading: texts.address, cell: ({ id, url }) => <a href={`/console/webhook-endpoints/${id}`}>{url}</a> },
  { heading: texts.state, cell: (endpoint) => stateOf(visit, endpoint) },
  { heading: texts.failingSince, cell: ({ failing_since: at }) => at && <Time visit={visit} at={at} /> },
  {
    heading: texts.lastFailure,
    cell: ({ last_failure: last }) => last && <span lang="en">{last.error ?? `HTTP ${last.status_code ?? ''}`}</span>,
  },
  { heading: texts.waiting, cell: ({ pending_count: count }) => count, isNumber: true },
  { heading: texts.deadLetters, cell: ({ dead_letter_count: count }) => count, isNumber: true },
];

/** `POST /console/webhook-endpoints` shows the signing secret, this once. */
export async function createEndpoint(visit: Visit, form: Form): Promise<void> {
  const body = {
    user_id: form.text('user_id').trim(),
    url: form.text('url').trim(),
    username: form.text('username'),
    password: form.text('password'),
  };
  const params = { header: { 'Idempotency-Key': form.text('key') } };
  const made = await dataOf(visit.operator.POST('/operator/v1/webhook-endpoints', { params, body }));
  showSecret(visit, made.endpoint.id, made.signing_secret);
}

export function showSecret(visit: Visit, endpointId: string, secret: string): void {
  const { say } = visit;
  show(
    visit,
    say(texts.endpoints),
    <>
      <p>{say(texts.secret)}</p>
      <p>
        <code class="secret">{secret}</code>
      </p>
      <p>
        <a href={`/console/webhook-endpoints/${endpointId}`}>{say(texts.back)}</a>
      </p>
    </>,
  );
}
