import { Choice, Field } from '../../design/forms.js';
import { SecretPage } from '../../design/frame.js';
import { Addition, type Column, ListPage, pageQuery } from '../../design/tables.js';
import { type Endpoint, endpointColumns } from '../../parcel/webhooks.js';
import { RefusalError } from '../../session/operations.js';
import { askedOf, keyed, type Visit } from '../../session/visit.js';
import { webhookTexts as texts } from '../../texts.js';
import { Say, Time } from '../../written.js';
import { AccountField, type AccountFilter, accountFilter, accountNamed, Named, type Names, namesOf } from '../names.js';

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
  </Addition>
);

const withAccount = (names: Names): readonly Column<Endpoint>[] => {
  const [address, ...others] = endpointColumns;
  const account: Column<Endpoint> = [texts.account, ({ user_id: id }) => <Named {...{ id, names }} />];
  return address ? [address, account, ...others] : [account];
};

/** The account that the form names. */
const ownerOf = (visit: Visit) => {
  const { text } = visit.form;
  // A link that is longer than a request may be leads nowhere.
  const kept = (name: string) => text(name).slice(0, 2_048);
  return accountNamed(visit, text('customer'), { url: kept('url'), username: kept('username') });
};

export async function createEndpoint(visit: Visit) {
  const { text } = visit.form;
  const { id: user_id, instead } = await ownerOf(visit);
  if (instead) {
    const details = [{ field: 'customer', code: 'incorrect' as const, message: 'No account, or several, have it.' }];
    throw new RefusalError('VALIDATION_ERROR', 'invalid_fields', 'The account is not known.', { details });
  }
  const body = { user_id, username: text('username'), password: text('password'), url: text('url').trim() };
  const { endpoint, signing_secret: secret } = await visit.ask(ADDITION, { ...keyed(visit), body });
  return <SigningSecret id={endpoint.id} secret={secret} />;
}

type Secret = Record<'id' | 'secret', string>;

/** Shows a new secret; after a rotation also until when the one before it is used. */
export const SigningSecret = ({ id, secret, previousUntil }: Partial<Record<'previousUntil', string>> & Secret) => (
  <SecretPage title={texts.endpoints} text={texts.secret} back={`${LIST}/${id}`} link={texts.back} secret={secret}>
    {previousUntil && <p>{[<Say text={texts.previousUntil} />, ' ', <Time at={previousUntil} />]}</p>}
  </SecretPage>
);
