import { chosen } from '../chosen.js';
import { Choice, Field, PostForm } from '../design/forms.js';
import { SecretPage, SplitPage } from '../design/frame.js';
import { factList, Section } from '../design/pieces.js';
import { Addition, type Column, Listing, ListPage, pageQuery } from '../design/tables.js';
import { plainEndings } from '../session/ending.js';
import { attemptColumns, type Endpoint, EndpointState, endpointColumns, movedChoices } from '../shared/webhooks.js';
import { Revoked } from '../shared/words.js';
import { shipperTexts as texts, valueWords, webhookTexts } from '../texts.js';
import { calling, keyed, type RestSchemas, useVisit, type Visit } from '../visit.js';
import { NumberText, Time, Word } from '../written.js';

const KEYS = '/envios/api-keys';
const ADDITION = 'POST /api/v1/api-keys';

export async function showApiKeys(visit: Visit) {
  const list = await visit.ask('GET /api/v1/api-keys', { query: pageQuery(visit) });
  return (
    <ListPage title={texts.apiKeys} above={<p>{visit.say(texts.apiKeysHint)}</p>} columns={keyColumns} list={list}>
      <Addition action={KEYS} operation={ADDITION} submit={texts.newKey}>
        <Field name="name" label={texts.name} isRequired maxLength={255} />
        <Choice name="scope" label={texts.scope} value="read" options={Object.entries(valueWords.keyScopes)} />
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

const scopes = ['read', 'all'] as const;

export async function createApiKey(visit: Visit) {
  const { form } = visit;
  const body = { name: form.text('name'), scope: chosen(form, 'scope', scopes) };
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
    <SplitPage title={endpoint.url} side={<EndpointActions endpoint={endpoint} />}>
      {factList([
        [texts.status, <EndpointState {...endpoint} />],
        [texts.waiting, <NumberText of={endpoint.pending_count} />],
        [texts.givenUp, <NumberText of={endpoint.dead_letter_count} />],
        [texts.failingSince, endpoint.failing_since && <Time at={endpoint.failing_since} />],
      ])}
      <Section title={texts.attempts}>
        <Listing caption={texts.attempts} columns={attemptColumns} list={attempts} />
      </Section>
    </SplitPage>
  );
}

const ENDPOINT = '/api/v1/webhook-endpoints/{id}';
const ENDPOINT_PAGE = '/envios/webhook-endpoints/{id}';

function EndpointActions({ endpoint }: { endpoint: Endpoint }) {
  const { say } = useVisit();
  const { id, state, disabled_reason: reason, dead_letter_count: letters } = endpoint;
  const at = `/envios/webhook-endpoints/${id}`;
  if (state !== 'active' && reason === 'operator') return <p class="hint">{say(texts.heldHint)}</p>;
  if (state !== 'active') {
    return (
      <PostForm action={`${at}/enable`} operation={`POST ${ENDPOINT}/enable`} submit={webhookTexts.enable}>
        <Choice name="moved" label={webhookTexts.moved} value="" options={movedChoices} />
      </PostForm>
    );
  }
  return (
    <Section title={webhookTexts.actions} kind="actions">
      <PostForm action={`${at}/test`} operation={`POST ${ENDPOINT}/test`} submit={webhookTexts.test} />
      {letters > 0 && (
        <PostForm
          action={`${at}/replay`}
          operation={`POST ${ENDPOINT}/replay`}
          submit={webhookTexts.replay}
          kind="secondary"
        />
      )}
    </Section>
  );
}

export async function testEndpoint(visit: Visit): Promise<string> {
  const { webhook_id: id } = await visit.ask(`POST ${ENDPOINT}/test`, keyed(visit));
  return `/envios/deliveries/${id}`;
}

export const replayDeadLetters = calling(`POST ${ENDPOINT}/replay`, ENDPOINT_PAGE, 'sent', () => ({
  dead_letters: true as const,
}));

export const enableEndpoint = calling(`POST ${ENDPOINT}/enable`, ENDPOINT_PAGE, 'saved', ({ form: { text } }) => ({
  catch_up: text('moved') !== 'leave',
}));
