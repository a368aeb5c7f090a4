import { isId } from '../../../base/ids.js';
import { Addition, Choice, type Column, Field, Listing, pageQuery, Secret, useVisit } from '../../design/index.js';
import { Verbatim } from '../../page.js';
import { dataOf, type Schemas } from '../../session/operations.js';
import { keyed, type Visit } from '../../session/visit.js';
import { disabledReasons, webhookTexts as texts } from '../../texts.js';
import { Time } from '../../times.js';
import { show } from '../frame.js';

export type Endpoint = Schemas['WebhookEndpoint'];

const kinds = ['active', 'disabled', 'trouble'] as const;

export function State({ endpoint: { state, disabled_reason: reason } }: { endpoint: Endpoint }) {
  const { say } = useVisit();
  return (
    <>
      {state === 'active'
        ? say(texts.active)
        : [say(texts.disabled), reason && say(disabledReasons[reason] ?? texts.disabled)].filter(Boolean).join(', ')}
    </>
  );
}

export async function showEndpoints(visit: Visit): Promise<void> {
  const { operator, url } = visit;
  const which = kinds.find((kind) => kind === url.searchParams.get('which'));
  const userId = url.searchParams.get('user_id') ?? '';
  const query = {
    ...pageQuery(visit),
    ...(which === 'trouble' ? { trouble: true } : which && { state: which }),
    ...(isId(userId) && { user_id: userId }),
  };
  const endpoints = await dataOf(operator.GET('/operator/v1/webhook-endpoints', { params: { query } }));
  const options = [['', texts.every], ...kinds.map((kind) => [kind, texts[kind]] as const)] as const;
  const filters = <Choice name="which" label={texts.which} value={which} options={options} />;
  show(
    visit,
    texts.endpoints,
    <Listing caption={texts.endpoints} columns={endpointColumns} list={endpoints} filters={filters}>
      <Addition
        action="/console/webhook-endpoints"
        operation="POST /operator/v1/webhook-endpoints"
        submit={texts.register}
      >
        <Field name="user_id" label={texts.accountId} isRequired value={userId} />
        <Field name="url" type="url" label={texts.address} isRequired />
        <Field name="username" label={texts.username} isRequired />
        <Field name="password" type="password" label={texts.password} isRequired autocomplete="new-password" />
      </Addition>
    </Listing>,
  );
}

export const failureColumns: readonly Column<Endpoint>[] = [
  [
    texts.lastFailure,
    ({ last_failure: last }) => last && <Verbatim>{last.error ?? `HTTP ${last.status_code ?? ''}`}</Verbatim>,
  ],
  [texts.waiting, ({ pending_count: count }) => count, 'number'],
  [texts.deadLetters, ({ dead_letter_count: count }) => count, 'number'],
];

const endpointColumns: readonly Column<Endpoint>[] = [
  [texts.address, ({ id, url }) => <a href={`/console/webhook-endpoints/${id}`}>{url}</a>],
  [texts.state, (endpoint) => <State endpoint={endpoint} />],
  [texts.failingSince, ({ failing_since: at }) => at && <Time at={at} />],
  ...failureColumns,
];

export async function createEndpoint(visit: Visit): Promise<void> {
  const { text } = visit.form;
  const body = {
    user_id: text('user_id').trim(),
    url: text('url').trim(),
    username: text('username'),
    password: text('password'),
  };
  const params = keyed(visit);
  const { endpoint, signing_secret } = await dataOf(
    visit.operator.POST('/operator/v1/webhook-endpoints', { params, body }),
  );
  showSecret(visit, endpoint.id, signing_secret);
}

export function showSecret(visit: Visit, endpointId: string, secret: string): void {
  const back = `/console/webhook-endpoints/${endpointId}`;
  show(visit, texts.endpoints, <Secret text={texts.secret} secret={secret} back={back} link={texts.back} />);
}
