import { keyScopes } from '../../../base/actor.js';
import { Addition, Choice, type Column, EndingLink, Field, Listing, pageQuery, Secret } from '../../design/index.js';
import { Say, Word } from '../../page.js';
import { dataOf, type Schemas } from '../../session/operations.js';
import { calling, keyed, param, type Visit } from '../../session/visit.js';
import { operatorScopes, userTexts as texts } from '../../texts.js';
import { Time } from '../../times.js';
import type { Ending } from '../ending.js';
import { show } from '../frame.js';
import { CurrentPassword } from './list.js';

export async function showKeys(visit: Visit): Promise<void> {
  const { operator, say } = visit;
  const keys = await dataOf(operator.GET('/operator/v1/operator-keys', { params: { query: pageQuery(visit) } }));
  show(
    visit,
    texts.keys,
    <>
      <p>{say(texts.keysOf)}</p>
      <Listing caption={texts.keys} columns={keyColumns} list={keys}>
        <Addition action="/console/operator-keys" operation="POST /operator/v1/operator-keys" submit={texts.newKey}>
          <Field name="name" label={texts.name} isRequired maxLength={255} />
          <Choice name="scope" label={texts.scope} options={keyScopes.map((scope) => [scope, operatorScopes[scope]])} />
          <CurrentPassword hint={texts.proofHint} />
        </Addition>
      </Listing>
    </>,
  );
}

const keyColumns: readonly Column<Schemas['OperatorKey']>[] = [
  [texts.name, ({ name }) => name],
  [texts.scope, ({ scope }) => <Word of={operatorScopes} value={scope} />],
  [
    texts.createdBy,
    ({ created_by: id }) => (
      <a href={`/console/users/${id}`}>
        <Say text={texts.seeAccount} />
      </a>
    ),
  ],
  [texts.lastUsed, ({ last_used_at: at }) => at && <Time at={at} />],
  [texts.madeWithFactor, ({ second_factor: has }) => <Say text={has === false ? texts.no : texts.yes} />],
  [texts.expires, ({ expires_at: at }) => at && <Time at={at} />],
  [texts.revoked, ({ id, revoked_at: at }) => (at ? <Time at={at} /> : <RevocationLink id={id} />)],
];

const RevocationLink = ({ id }: { id: string }) => (
  <EndingLink href={`/console/operator-keys/${id}/revocation`} text={texts.revoke} />
);

export async function createKey(visit: Visit): Promise<void> {
  const { operator, form } = visit;
  const scope = keyScopes.find((each) => each === form.text('scope')) ?? 'movements';
  const password = form.optional('current_password');
  const body = { name: form.text('name'), scope, ...(password !== undefined && { current_password: password }) };
  const made = await dataOf(operator.POST('/operator/v1/operator-keys', { params: keyed(visit), body }));
  const secret = <Secret text={texts.secret} secret={made.secret} back="/console/operator-keys" link={texts.back} />;
  show(visit, made.operator_key.name, secret);
}

const REVOCATION = 'POST /operator/v1/operator-keys/{id}/revocation';
export const revocation: Ending = {
  submit: texts.revoke,
  operation: REVOCATION,
  work: calling(REVOCATION, '/console/operator-keys'),
  back: '/console/operator-keys',
  about: async (visit) => {
    const query = { ids: param(visit, 'id') };
    const { data } = await dataOf(visit.operator.GET('/operator/v1/names', { params: { query } }));
    return { subject: data[0]?.name ?? '', consequences: [texts.revokeHint] };
  },
};
