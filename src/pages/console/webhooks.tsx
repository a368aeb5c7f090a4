import { Choice, Field, PostForm } from '../design/forms.js';
import { SecretPage, SplitPage } from '../design/frame.js';
import { Card, EndingLink, factList, Section } from '../design/pieces.js';
import { Addition, type Column, Listing, ListPage, pageQuery, TableIfAny } from '../design/tables.js';
import { OVERLAP_HOURS } from '../facts.js';
import { type OperationName, RefusalError } from '../operations.js';
import { ending } from '../session/ending.js';
import type { Endpoint } from '../shared/webhooks.js';
import {
  attemptColumns,
  DeliveryLink,
  deliveryPage,
  EndpointState,
  endpointColumns,
  movedChoices,
} from '../shared/webhooks.js';
import { filled, type Text, webhookTexts as texts } from '../texts.js';
import { askedOf, calling, keyed, param, type Schemas, type Visit } from '../visit.js';
import { NumberText, Say, Time } from '../written.js';
import { AccountField, type AccountFilter, accountFilter, accountNamed, Named, type Names, namesOf } from './names.js';

const PAGE = '/console/webhook-endpoints/{id}';
const ENDPOINT = '/operator/v1/webhook-endpoints/{id}';

export async function showEndpoint(visit: Visit) {
  const { ask, askVersion } = visit;
  const [{ data: endpoint, version }, attempts, letters] = await Promise.all([
    askVersion(`GET ${ENDPOINT}`),
    ask(`GET ${ENDPOINT}/attempts`, { query: pageQuery(visit) }),
    ask(`GET ${ENDPOINT}/dead-letters`),
  ]);
  const names = await namesOf(visit, [endpoint.user_id]);
  const side = [<EndpointActions endpoint={endpoint} />, <UpdateForm {...{ endpoint, version }} />];
  return (
    <SplitPage title={endpoint.url} side={side}>
      {factList([
        [texts.state, <EndpointState {...endpoint} />],
        [texts.account, <Named id={endpoint.user_id} names={names} />],
        [texts.failingSince, endpoint.failing_since && <Time at={endpoint.failing_since} />],
        [texts.lastFailure, endpoint.last_failure?.error ?? endpoint.last_failure?.status_code],
        [texts.waiting, <NumberText of={endpoint.pending_count} />],
        [texts.deadLetters, <NumberText of={endpoint.dead_letter_count} />],
        [texts.catchUp, endpoint.catch_up_count > 0 && <NumberText of={endpoint.catch_up_count} />],
        [texts.lanes, endpoint.lanes],
      ])}
      <TableIfAny caption={texts.deadLetters} columns={letterColumns} rows={letters.data} />
      <Section title={texts.attempts}>
        <Listing caption={texts.attempts} columns={attemptColumns} list={attempts} />
      </Section>
    </SplitPage>
  );
}

const UPDATE = 'PUT /operator/v1/webhook-endpoints/{id}';

const UpdateForm = ({ endpoint, version }: { endpoint: Endpoint; version: string }) => (
  <Card title={texts.change}>
    <PostForm action={`${LIST}/${endpoint.id}`} operation={UPDATE} submit={texts.save} hidden={{ version }}>
      <Field name="url" type="url" label={texts.address} isRequired value={endpoint.url} />
      <Field name="username" label={texts.username} isRequired value={endpoint.username} />
      <Field name="password" type="password" label={texts.newPassword} autocomplete="new-password" />
      <Field name="lanes" type="number" label={texts.lanes} value={String(endpoint.lanes)} />
    </PostForm>
  </Card>
);

export const updateEndpoint = calling(UPDATE, PAGE, 'saved', ({ form: { text, password, number } }) => ({
  url: text('url').trim(),
  username: text('username'),
  password: password('password'),
  lanes: number('lanes'),
}));

function EndpointActions({ endpoint }: { endpoint: Endpoint }) {
  const isActive = endpoint.state === 'active';
  const at = `/console/webhook-endpoints/${endpoint.id}`;
  const form = (name: string, operation: OperationName, submit: Text, kind?: 'secondary') => (
    <PostForm action={`${at}/${name}`} {...{ operation, submit, kind }} />
  );
  return (
    <Section title={texts.actions} kind="actions">
      {isActive && form('send-now', 'POST /operator/v1/send-now', texts.sendNow)}
      {isActive && form('test', `POST ${ENDPOINT}/test`, texts.test, 'secondary')}
      {endpoint.dead_letter_count > 0 && form('replay', `POST ${ENDPOINT}/replay`, texts.replay, 'secondary')}
      {isActive ? (
        <EndingLink href={`${at}/disable`} text={texts.disable} />
      ) : (
        <PostForm action={`${at}/enable`} operation={`POST ${ENDPOINT}/enable`} submit={texts.enable}>
          <Choice name="moved" label={texts.moved} value="" options={movedChoices} />
        </PostForm>
      )}
      <EndingLink href={`${at}/secret-rotation`} text={texts.rotate} />
      <EndingLink href={`${at}/deletion`} text={texts.delete} />
    </Section>
  );
}

const openChoices = [
  ['', texts.openLeave],
  ['tell', texts.openTell],
] as const;

export async function testEndpoint(visit: Visit): Promise<string> {
  const { webhook_id: id } = await visit.ask(`POST ${ENDPOINT}/test`, keyed(visit));
  return `/console/deliveries/${id}`;
}

const hours = { hours: String(OVERLAP_HOURS) };
const withHours = (text: Text): Text => ({ 'pt-BR': filled(text['pt-BR'], hours), en: filled(text.en, hours) });

export const secretRotation = ending({
  submit: texts.rotate,
  operation: `POST ${ENDPOINT}/secret-rotation`,
  back: PAGE,
  about: async ({ ask }) => {
    const { url: subject } = await ask(`GET ${ENDPOINT}`);
    return { subject, consequences: [texts.rotateHint, texts.rotateAgainHint].map(withHours) };
  },
  work: async (visit) => {
    const answer = await visit.ask(`POST ${ENDPOINT}/secret-rotation`, keyed(visit));
    const { signing_secret: secret, previous_valid_until: until } = answer;
    return <SigningSecret id={param(visit, 'id')} secret={secret} previousUntil={until} />;
  },
});

export const sendNowTo = calling('POST /operator/v1/send-now', PAGE, 'sent', (visit) => ({
  endpoint_id: param(visit, 'id'),
}));
export const replayDeadLetters = calling(`POST ${ENDPOINT}/replay`, PAGE, 'sent', () => ({
  dead_letters: true as const,
}));
export const enableEndpoint = calling(`POST ${ENDPOINT}/enable`, PAGE, 'saved', ({ form: { text } }) => ({
  catch_up: text('moved') !== 'leave',
}));

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
  [texts.created, ({ webhook_id: id, created_at: at }) => <DeliveryLink {...{ id, at }} />],
  [texts.packages, ({ package_count: count }) => count, 'number'],
  [texts.ended, ({ ended_at: at }) => at && <Time at={at} />],
];

const REPLAY = 'POST /operator/v1/deliveries/{webhook_id}/replay';

export const delivery = deliveryPage('GET /operator/v1/deliveries/{webhook_id}', (path) => (
  <PostForm action={`${path}/replay`} operation={REPLAY} submit={texts.replayOne} />
));

export const replayDelivery = calling(REPLAY, '/console/deliveries/{webhook_id}', 'sent');

const kinds = ['active', 'disabled', 'trouble'] as const;

const LIST = '/console/webhook-endpoints';
const ADDITION = 'POST /operator/v1/webhook-endpoints';

export async function showEndpoints(visit: Visit) {
  const which = askedOf(visit, 'which', kinds);
  const state = which === 'trouble' ? { trouble: true } : { state: which };
  const { id: user_id, instead } = await accountFilter(visit, 'user_id');
  const query = { ...pageQuery(visit), ...state, user_id };
  const list = await visit.ask('GET /operator/v1/webhook-endpoints', { query });
  const options = [['', texts.every], ...kinds.map((kind) => [kind, texts[kind]] as const)] as const;
  const filters = [<AccountField />, <Choice name="which" label={texts.which} value={which} options={options} />];
  const owners = list.data.map(({ user_id: id }) => id);
  const columns = withAccount(await namesOf(visit, owners));
  return (
    <ListPage title={texts.endpoints} {...{ columns, list, filters, instead }}>
      <Registration query={visit.url.searchParams} {...(visit.refusal && (await ownerOf(visit)))} />
    </ListPage>
  );
}

const Registration = ({ query, instead }: Pick<AccountFilter, 'instead'> & { query: URLSearchParams }) => (
  <Addition action={LIST} operation={ADDITION} submit={texts.register}>
    {instead}
    <AccountField name="customer" isRequired />
    <Field name="url" type="url" label={texts.address} isRequired value={query.get('url') ?? ''} />
    <Field name="username" label={texts.username} isRequired value={query.get('username') ?? ''} />
    <Field name="password" type="password" label={texts.password} isRequired autocomplete="new-password" />
    <Choice name="open" label={texts.open} value={query.get('open') ?? ''} options={openChoices} />
  </Addition>
);

const withAccount = (names: Names): readonly Column<Endpoint>[] => {
  const [address, ...others] = endpointColumns;
  const account: Column<Endpoint> = [texts.account, ({ user_id: id }) => <Named {...{ id, names }} />];
  return address ? [address, account, ...others] : [account];
};

/** Finds the account that the form names. */
const ownerOf = (visit: Visit) => {
  const { text } = visit.form;
  // These texts go into a link. A link longer than a request may be would not work.
  const kept = (name: string) => text(name).slice(0, 2_048);
  return accountNamed(visit, text('customer'), { url: kept('url'), username: kept('username'), open: kept('open') });
};

export async function createEndpoint(visit: Visit) {
  const { text } = visit.form;
  const { id: user_id, instead } = await ownerOf(visit);
  if (instead) {
    const details = [{ field: 'customer', code: 'incorrect' as const, message: 'No account, or several, have it.' }];
    throw new RefusalError('VALIDATION_ERROR', 'invalid_fields', 'The account is not known.', { details });
  }
  const settings = { username: text('username'), password: text('password'), url: text('url').trim() };
  const body = { user_id, ...settings, catch_up: text('open') === 'tell' };
  const { endpoint, signing_secret: secret } = await visit.ask(ADDITION, { ...keyed(visit), body });
  return <SigningSecret id={endpoint.id} secret={secret} />;
}

/** Shows a new secret. After a rotation it also shows until when the previous secret is used. */
const SigningSecret = (props: { id: string; secret: string; previousUntil?: string }) => (
  <SecretPage
    title={texts.endpoints}
    text={texts.secret}
    back={`${LIST}/${props.id}`}
    link={texts.back}
    secret={props.secret}
  >
    {props.previousUntil && <p>{[<Say text={texts.previousUntil} />, ' ', <Time at={props.previousUntil} />]}</p>}
  </SecretPage>
);
