import {
  type Column,
  EndingLink,
  Facts,
  Field,
  Listing,
  Page,
  PostForm,
  pageQuery,
  Section,
  TableSection,
  TextLink,
  useVisit,
} from '../../design/index.js';
import type { Text } from '../../language.js';
import { ending } from '../../session/ending.js';
import type { OperationName, Schemas } from '../../session/operations.js';
import { calling, keyed, param, type Visit } from '../../session/visit.js';
import { webhookTexts as texts } from '../../texts.js';
import { NumberText, Time } from '../../times.js';
import { attemptColumns, Delivery } from './delivery.js';
import { type Endpoint, SigningSecret, State } from './list.js';

const PAGE = '/console/webhook-endpoints/{id}';
const ENDPOINT = '/operator/v1/webhook-endpoints/{id}';

export async function showEndpoint(visit: Visit) {
  const { ask, askVersion } = visit;
  const [{ data: endpoint, version }, attempts, letters] = await Promise.all([
    askVersion(`GET ${ENDPOINT}`),
    ask(`GET ${ENDPOINT}/attempts`, { query: pageQuery(visit) }),
    ask(`GET ${ENDPOINT}/dead-letters`),
  ]);
  return (
    <Page title={endpoint.url}>
      <EndpointFacts endpoint={endpoint} />
      <UpdateForm {...{ endpoint, version }} />
      <EndpointActions endpoint={endpoint} />
      <TableSection caption={texts.deadLetters} columns={letterColumns} rows={letters.data} />
      <Section title={texts.attempts}>
        <Listing caption={texts.attempts} columns={attemptColumns} list={attempts} />
      </Section>
    </Page>
  );
}

const EndpointFacts = ({ endpoint }: { endpoint: Endpoint }) => (
  <Facts
    facts={[
      [texts.state, <State endpoint={endpoint} />],
      [texts.account, <TextLink href={`/console/users/${endpoint.user_id}`} text={texts.seeAccount} />],
      [texts.failingSince, endpoint.failing_since && <Time at={endpoint.failing_since} />],
      [texts.lastFailure, endpoint.last_failure?.error ?? endpoint.last_failure?.status_code],
      [texts.waiting, <NumberText of={endpoint.pending_count} />],
      [texts.deadLetters, <NumberText of={endpoint.dead_letter_count} />],
      [texts.lanes, endpoint.lanes],
    ]}
  />
);

const UPDATE = 'PUT /operator/v1/webhook-endpoints/{id}';

function UpdateForm({ endpoint, version }: { endpoint: Endpoint; version: string }) {
  const { say, refusal } = useVisit();
  const { id, url, username, lanes } = endpoint;
  const action = `/console/webhook-endpoints/${id}`;
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
      <PostForm {...{ action }} operation={UPDATE} submit={texts.save} hidden={{ version }}>
        <Field name="url" type="url" label={texts.address} isRequired value={url} />
        <Field name="username" label={texts.username} isRequired value={username} />
        <Field name="password" type="password" label={texts.newPassword} autocomplete="new-password" />
        <Field name="lanes" type="number" label={texts.lanes} value={String(lanes)} />
      </PostForm>
    </Section>
  );
}

export const updateEndpoint = calling(UPDATE, PAGE, 'saved', ({ form: { text, password, number } }) => ({
  url: text('url').trim(),
  username: text('username'),
  password: password('password'),
  lanes: number('lanes'),
}));

function EndpointActions({ endpoint }: { endpoint: Endpoint }) {
  const isActive = endpoint.state === 'active';
  const at = `/console/webhook-endpoints/${endpoint.id}`;
  const form = (name: string, operation: OperationName, submit: Text, isDangerous = false) => (
    <PostForm action={`${at}/${name}`} {...{ operation, submit, isDangerous }} />
  );
  return (
    <Section title={texts.actions} kind="actions">
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

export async function testEndpoint(visit: Visit): Promise<string> {
  const { webhook_id: id } = await visit.ask(`POST ${ENDPOINT}/test`, keyed(visit));
  return `/console/deliveries/${id}`;
}

export async function rotateSecret(visit: Visit) {
  const { signing_secret: secret } = await visit.ask(`POST ${ENDPOINT}/secret-rotation`, keyed(visit));
  return <SigningSecret id={param(visit, 'id')} secret={secret} />;
}

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
  [texts.delivery, ({ webhook_id: id }) => <Delivery id={id} />],
  [texts.packages, ({ package_count: count }) => count, 'number'],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
  [texts.ended, ({ ended_at: at }) => at && <Time at={at} />],
];
