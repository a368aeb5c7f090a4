import { isId } from '../../../base/ids.js';
import {
  Addition,
  Choice,
  type Column,
  Field,
  Listing,
  Page,
  pageQuery,
  SecretPage,
  useVisit,
} from '../../design/index.js';
import { Verbatim } from '../../page.js';
import type { Schemas } from '../../session/operations.js';
import { asked, askedOf, keyed, type Visit } from '../../session/visit.js';
import { disabledReasons, webhookTexts as texts } from '../../texts.js';
import { NumberText, Time } from '../../times.js';

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

const LIST = '/console/webhook-endpoints';
const ADDITION = 'POST /operator/v1/webhook-endpoints';

export async function showEndpoints(visit: Visit) {
  const which = askedOf(visit, 'which', kinds);
  const userId = asked(visit, 'user_id');
  const query = {
    ...pageQuery(visit),
    ...(which === 'trouble' ? { trouble: true } : { state: which }),
    ...(isId(userId) && { user_id: userId }),
  };
  const list = await visit.ask('GET /operator/v1/webhook-endpoints', { query });
  const options = [['', texts.every], ...kinds.map((kind) => [kind, texts[kind]] as const)] as const;
  const filters = <Choice name="which" label={texts.which} value={which} options={options} />;
  return (
    <Page title={texts.endpoints}>
      <Listing caption={texts.endpoints} columns={webhookColumns} {...{ list, filters }}>
        <Addition action={LIST} operation={ADDITION} submit={texts.register}>
          <Field name="user_id" label={texts.accountId} isRequired value={userId} />
          <Field name="url" type="url" label={texts.address} isRequired />
          <Field name="username" label={texts.username} isRequired />
          <Field name="password" type="password" label={texts.password} isRequired autocomplete="new-password" />
        </Addition>
      </Listing>
    </Page>
  );
}

export const webhookColumns: readonly Column<Endpoint>[] = [
  [texts.address, ({ id, url }) => <a href={`${LIST}/${id}`}>{url}</a>],
  [texts.state, (endpoint) => <State endpoint={endpoint} />],
  [texts.failingSince, ({ failing_since: at }) => at && <Time at={at} />],
  [
    texts.lastFailure,
    ({ last_failure: last }) => last && <Verbatim>{last.error ?? `HTTP ${last.status_code ?? ''}`}</Verbatim>,
  ],
  [texts.waiting, ({ pending_count: count }) => <NumberText of={count} />, 'number'],
  [texts.deadLetters, ({ dead_letter_count: count }) => <NumberText of={count} />, 'number'],
];

export async function createEndpoint(visit: Visit) {
  const { text } = visit.form;
  const account = { user_id: text('user_id').trim(), username: text('username'), password: text('password') };
  const body = { ...account, url: text('url').trim() };
  const { endpoint, signing_secret: secret } = await visit.ask(ADDITION, { ...keyed(visit), body });
  return <SigningSecret id={endpoint.id} secret={secret} />;
}

export const SigningSecret = ({ id, secret }: { id: string; secret: string }) => (
  <SecretPage title={texts.endpoints} text={texts.secret} back={`${LIST}/${id}`} link={texts.back} {...{ secret }} />
);
