import {
  Addition,
  Card,
  Choice,
  type Column,
  Confirmation,
  Facts,
  Field,
  Listing,
  pageQuery,
  Secret,
  Section,
  TableSection,
} from '../design/index.js';
import { Word } from '../page.js';
import { dataOf } from '../session/operations.js';
import { calling, keyed, param, pathId, type Visit } from '../session/visit.js';
import {
  paymentKinds,
  keyScopeTexts as scopes,
  shipperTexts as texts,
  webhookOutcomes,
  webhookStates,
} from '../texts.js';
import { Time } from '../times.js';
import { show } from './frame.js';
import { type RestSchemas, TextLink } from './words.js';

/** Shows the account and how it pays. The carrier changes both. */
export async function showAccount(visit: Visit): Promise<void> {
  const { rest } = visit;
  const [user, methods] = await Promise.all([
    dataOf(rest.GET('/api/v1/users/me')),
    dataOf(rest.GET('/api/v1/payment-methods')),
  ]);
  show(
    visit,
    texts.account,
    <>
      <Facts
        facts={[
          [texts.name, user.name],
          [texts.email, user.email],
          [texts.phone, user.phone],
          [texts.taxId, user.tax_id],
        ]}
      />
      <TableSection caption={texts.payment} columns={paymentColumns} rows={methods.data} />
    </>,
  );
}

const paymentColumns: readonly Column<RestSchemas['PaymentMethod']>[] = [
  [texts.name, ({ label }) => label],
  [texts.kind, ({ kind }) => <Word of={paymentKinds} value={kind} />],
];

export async function showApiKeys(visit: Visit): Promise<void> {
  const keys = await dataOf(visit.rest.GET('/api/v1/api-keys', { params: { query: pageQuery(visit) } }));
  show(
    visit,
    texts.apiKeys,
    <>
      <p>{visit.say(texts.apiKeysHint)}</p>
      <Listing caption={texts.apiKeys} columns={keyColumns} list={keys}>
        <Addition action="/envios/api-keys" operation="POST /api/v1/api-keys" submit={texts.newKey}>
          <Field name="name" label={texts.name} isRequired maxLength={255} />
          <Choice name="scope" label={texts.scope} options={Object.entries(scopes)} />
        </Addition>
      </Listing>
    </>,
  );
}

const keyColumns: readonly Column<RestSchemas['ApiKey']>[] = [
  [texts.name, ({ name }) => name],
  [texts.scope, ({ scope }) => <Word of={scopes} value={scope} />],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
  [texts.revoked, ({ id, revoked_at: at }) => (at ? <Time at={at} /> : <TextLink {...revocationOf(id)} />)],
];

const revocationOf = (id: string) => ({ href: `/envios/api-keys/${id}/revocation`, text: texts.revoke });

export async function createApiKey(visit: Visit): Promise<void> {
  const { rest, form } = visit;
  const body = { name: form.text('name'), scope: form.text('scope') === 'all' ? 'all' : 'read' } as const;
  const made = await dataOf(rest.POST('/api/v1/api-keys', { params: keyed(visit), body }));
  show(
    visit,
    made.api_key.name,
    <Secret text={texts.secret} secret={made.secret} back="/envios/api-keys" link={texts.back} />,
  );
}

export async function showRevocation(visit: Visit): Promise<void> {
  const key = await dataOf(visit.rest.GET('/api/v1/api-keys/{id}', { params: pathId(visit) }));
  show(
    visit,
    `${visit.say(texts.revoke)} ${key.name}`,
    <Confirmation
      action={`/envios/api-keys/${key.id}/revocation`}
      operation={REVOCATION}
      submit={texts.revoke}
      back="/envios/api-keys"
      consequences={[visit.say(texts.revokeHint)]}
    />,
  );
}

const REVOCATION = 'DELETE /api/v1/api-keys/{id}';
export const revokeApiKey = calling(REVOCATION, '/envios/api-keys');

export async function showEndpoints(visit: Visit): Promise<void> {
  const list = await dataOf(visit.rest.GET('/api/v1/webhook-endpoints', { params: { query: pageQuery(visit) } }));
  show(
    visit,
    texts.webhooks,
    <>
      <p>{visit.say(texts.webhooksHint)}</p>
      <Listing caption={texts.webhooks} columns={endpointColumns} list={list} />
    </>,
  );
}

const endpointColumns: readonly Column<RestSchemas['WebhookEndpoint']>[] = [
  [texts.address, ({ id, url }) => <a href={`/envios/webhook-endpoints/${id}`}>{url}</a>],
  [texts.status, ({ state }) => <Word of={webhookStates} value={state} />],
  [texts.waiting, ({ pending_count: count }) => count, 'number'],
  [texts.givenUp, ({ dead_letter_count: count }) => count, 'number'],
];

export async function showEndpoint(visit: Visit): Promise<void> {
  const { rest } = visit;
  const params = pathId(visit);
  const [endpoint, attempts] = await Promise.all([
    dataOf(rest.GET('/api/v1/webhook-endpoints/{id}', { params })),
    dataOf(rest.GET('/api/v1/webhook-endpoints/{id}/attempts', { params: { ...params, query: pageQuery(visit) } })),
  ]);
  show(
    visit,
    texts.webhook,
    <>
      <Facts
        facts={[
          [texts.address, endpoint.url],
          [texts.status, <Word of={webhookStates} value={endpoint.state} />],
          [texts.waiting, endpoint.pending_count],
          [texts.givenUp, endpoint.dead_letter_count],
          [texts.failingSince, endpoint.failing_since && <Time at={endpoint.failing_since} />],
        ]}
      />
      <Section title={texts.attempts}>
        <Listing caption={texts.attempts} columns={attemptColumns} list={attempts} />
      </Section>
    </>,
  );
}

const attemptColumns: readonly Column<RestSchemas['WebhookAttempt']>[] = [
  [
    texts.when,
    ({ webhook_id: id, attempted_at: at }) => (
      <a href={`/envios/deliveries/${id}`}>
        <Time at={at} />
      </a>
    ),
  ],
  [texts.outcome, ({ outcome }) => <Word of={webhookOutcomes} value={outcome} />],
  [texts.httpStatus, ({ status_code: code }) => code],
];

export async function showDelivery(visit: Visit): Promise<void> {
  const params = { path: { webhook_id: param(visit, 'webhook_id') } };
  const delivery = await dataOf(visit.rest.GET('/api/v1/deliveries/{webhook_id}', { params }));
  show(
    visit,
    texts.delivery,
    <>
      <Facts
        facts={[
          [texts.created, <Time at={delivery.created_at} />],
          [texts.packages, delivery.package_count],
          [texts.attempts, delivery.attempt_count],
          [texts.nextAttempt, delivery.next_attempt_at && <Time at={delivery.next_attempt_at} />],
        ]}
      />
      <TableSection caption={texts.attempts} columns={attemptColumns} rows={delivery.attempts} />
      {delivery.body !== undefined && (
        <Card title={texts.body}>
          <pre>
            <code>{delivery.body}</code>
          </pre>
        </Card>
      )}
    </>,
  );
}
