import { Choice, Field, PostForm, Say, Secret, Time } from '../components.js';
import { show } from '../frame.js';
import { type Column, Listing, pageQuery } from '../lists.js';
import { dataOf, type Schemas } from '../operations.js';
import { keyed, pathId, redirect, type Visit } from '../visit.js';
import { texts } from './texts.js';

const scopes = ['movements', 'read', 'all'] as const;

export async function showKeys(visit: Visit): Promise<void> {
  const { operator, say } = visit;
  const keys = await dataOf(operator.GET('/operator/v1/operator-keys', { params: { query: pageQuery(visit) } }));
  const addition = {
    action: '/console/operator-keys',
    operation: 'POST /operator/v1/operator-keys',
    submit: texts.newKey,
    children: keyFields,
  };
  show(
    visit,
    texts.keys,
    <>
      <p>{say(texts.keysOf)}</p>
      <Listing caption={texts.keys} columns={keyColumns} list={keys} addition={addition} />
    </>,
  );
}

const keyFields = (
  <>
    <Field name="name" label={texts.name} isRequired maxLength={255} />
    <Choice name="scope" label={texts.scope} options={scopes.map((scope) => [scope, scope])} />
    <Field
      name="current_password"
      type="password"
      label={texts.currentPassword}
      hint={texts.proofHint}
      autocomplete="current-password"
    />
  </>
);

const keyColumns: readonly Column<Schemas['OperatorKey']>[] = [
  [texts.name, ({ name }) => name],
  [texts.scope, ({ scope }) => scope],
  [texts.createdBy, ({ created_by: id }) => <a href={`/console/users/${id}`}>{id}</a>],
  [texts.lastUsed, ({ last_used_at: at }) => at && <Time at={at} />],
  [texts.madeWithFactor, ({ second_factor: has }) => <Say text={has === false ? texts.no : texts.yes} />],
  [texts.expires, ({ expires_at: at }) => at && <Time at={at} />],
  [texts.revoked, ({ id, revoked_at: at }) => (at ? <Time at={at} /> : <Revocation id={id} />)],
];

const Revocation = ({ id }: { id: string }) => (
  <PostForm
    action={`/console/operator-keys/${id}/revocation`}
    operation="POST /operator/v1/operator-keys/{id}/revocation"
    submit={texts.revoke}
    isDangerous
  />
);

/** Shows the secret, this once. */
export async function createKey(visit: Visit): Promise<void> {
  const { operator, form } = visit;
  const scope = scopes.find((each) => each === form.text('scope')) ?? 'movements';
  const password = form.optional('current_password');
  const body = { name: form.text('name'), scope, ...(password !== undefined && { current_password: password }) };
  const made = await dataOf(operator.POST('/operator/v1/operator-keys', { params: keyed(visit), body }));
  const secret = <Secret text={texts.secret} secret={made.secret} back="/console/operator-keys" link={texts.back} />;
  show(visit, made.operator_key.name, secret);
}

export async function revokeKey(visit: Visit): Promise<void> {
  const params = { ...pathId(visit), ...keyed(visit) };
  await dataOf(visit.operator.POST('/operator/v1/operator-keys/{id}/revocation', { params }));
  redirect(visit, '/console/operator-keys?done=saved');
}
