import { Choice, Field } from '../design/forms.js';
import { Page, SecretPage } from '../design/frame.js';
import { factList, Section } from '../design/pieces.js';
import { Addition, type Column, Listing, ListPage, pageQuery, TableSection } from '../design/tables.js';
import { plainEndings } from '../session/ending.js';
import { attemptColumns, EndpointState, endpointColumns } from '../shared/webhooks.js';
import { Revoked } from '../shared/words.js';
import { shipperTexts as texts, valueWords } from '../texts.js';
import { keyed, type RestSchemas, type Visit } from '../visit.js';
import { NumberText, Time, Word } from '../written.js';

/** Shows the account and how it pays. The carrier changes both. */
export async function showAccount({ ask }: Visit) {
  const [user, methods] = await Promise.all([ask('GET /api/v1/users/me'), ask('GET /api/v1/payment-methods')]);
  return (
    <Page title={texts.account}>
      {factList([
        [texts.name, user.name],
        [texts.email, user.email],
        [texts.phone, user.phone],
        [texts.tax_id, user.tax_id],
      ])}
      <TableSection caption={texts.payment} columns={paymentColumns} rows={methods.data} />
    </Page>
  );
}

const paymentColumns: readonly Column<RestSchemas['PaymentMethod']>[] = [
  [texts.name, ({ label }) => label],
  [texts.kind, ({ kind }) => <Word of={valueWords.paymentKinds} value={kind} />],
];

const KEYS = '/envios/api-keys';
const ADDITION = 'POST /api/v1/api-keys';

export async function showApiKeys(visit: Visit) {
  const list = await visit.ask('GET /api/v1/api-keys', { query: pageQuery(visit) });
  return (
    <ListPage title={texts.apiKeys} above={<p>{visit.say(texts.apiKeysHint)}</p>} columns={keyColumns} list={list}>
      <Addition action={KEYS} operation={ADDITION} submit={texts.newKey}>
        <Field name="name" label={texts.name} isRequired maxLength={255} />
        <Choice name="scope" label={texts.scope} options={Object.entries(valueWords.keyScopes)} />
      </Addition>
    </ListPage>
  );
}

const keyColumns: readonly Column<RestSchemas['ApiKey']>[] = [
  [texts.name, ({ name }) => name],
  [texts.scope, ({ scope }) => <Word of={valueWords.keyScopes} value={scope} />],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
  [texts.revoked, ({ id, revoked_at: at }) => <Revoked at={at} href={`${KEYS}/${id}/revocation`} />],
];

export async function createApiKey(visit: Visit) {
  const { text } = visit.form;
  const body = { name: text('name'), scope: text('scope') === 'all' ? 'all' : 'read' } as const;
  const { secret, api_key: key } = await visit.ask(ADDITION, { ...keyed(visit), body });
  return <SecretPage title={key.name} text={texts.secret} secret={secret} back={KEYS} link={texts.back} />;
}

const keyEnding = plainEndings(KEYS, async ({ ask }) => (await ask('GET /api/v1/api-keys/{id}')).name);
export const keyRevocation = keyEnding(texts.revoke, 'DELETE /api/v1/api-keys/{id}', texts.revokeHint);

export async function showEndpoints(visit: Visit) {
  const list = await visit.ask('GET /api/v1/webhook-endpoints', { query: pageQuery(visit) });
  const above = <p>{visit.say(texts.webhooksHint)}</p>;
  return <ListPage title={texts.webhooks} columns={endpointColumns} {...{ above, list }} />;
}

export async function showEndpoint(visit: Visit) {
  const [endpoint, attempts] = await Promise.all([
    visit.ask('GET /api/v1/webhook-endpoints/{id}'),
    visit.ask('GET /api/v1/webhook-endpoints/{id}/attempts', { query: pageQuery(visit) }),
  ]);
  return (
    <Page title={endpoint.url}>
      {factList([
        [texts.status, <EndpointState {...endpoint} />],
        [texts.waiting, <NumberText of={endpoint.pending_count} />],
        [texts.givenUp, <NumberText of={endpoint.dead_letter_count} />],
        [texts.failingSince, endpoint.failing_since && <Time at={endpoint.failing_since} />],
      ])}
      <Section title={texts.attempts}>
        <Listing caption={texts.attempts} columns={attemptColumns} list={attempts} />
      </Section>
    </Page>
  );
}
