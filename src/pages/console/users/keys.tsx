import { keyScopes } from '../../../base/actor.js';
import { Choice, Field } from '../../design/forms.js';
import { SecretPage } from '../../design/frame.js';
import { Addition, type Column, ListPage, pageQuery } from '../../design/tables.js';
import { Revoked } from '../../parcel/words.js';
import { plainEnding } from '../../session/ending.js';
import { keyed, type Schemas, type Visit } from '../../session/visit.js';
import { userTexts as texts, valueWords } from '../../texts.js';
import { Say, Time, Word } from '../../written.js';
import { Named, type Names, namesOf, ownName } from '../names.js';
import { CurrentPassword } from './list.js';

const LIST = '/console/operator-keys';
const ADDITION = 'POST /operator/v1/operator-keys';

export async function showKeys(visit: Visit) {
  const list = await visit.ask('GET /operator/v1/operator-keys', { query: pageQuery(visit) });
  const makers = list.data.map(({ created_by: id }) => id);
  const columns = columnsWith(await namesOf(visit, makers));
  return (
    <ListPage title={texts.keys} above={<p>{visit.say(texts.keysOf)}</p>} {...{ columns, list }}>
      <Addition action={LIST} operation={ADDITION} submit={texts.newKey}>
        <Field name="name" label={texts.name} isRequired maxLength={255} />
        <Choice name="scope" label={texts.scope} options={Object.entries(valueWords.operatorScopes)} />
        <CurrentPassword hint={texts.proofHint} />
      </Addition>
    </ListPage>
  );
}

const columnsWith = (names: Names): readonly Column<Schemas['OperatorKey']>[] => [
  [texts.name, ({ name }) => name],
  [texts.scope, ({ scope }) => <Word of={valueWords.operatorScopes} value={scope} />],
  [texts.createdBy, ({ created_by: id }) => <Named {...{ id, names }} />],
  [texts.lastUsed, ({ last_used_at: at }) => at && <Time at={at} />],
  [texts.madeWithFactor, ({ second_factor: has }) => <Say text={has === false ? texts.no : texts.yes} />],
  [texts.expires, ({ expires_at: at }) => at && <Time at={at} />],
  [
    texts.revoked,
    ({ id, revoked_at: at }) => <Revoked at={at} href={`${LIST}/${id}/revocation`} kind="button danger" />,
  ],
];

export async function createKey(visit: Visit) {
  const { text, optional } = visit.form;
  const scope = keyScopes.find((each) => each === text('scope')) ?? 'movements';
  const current_password = optional('current_password') && text('current_password');
  const made = await visit.ask(ADDITION, { ...keyed(visit), body: { name: text('name'), scope, current_password } });
  const { secret, operator_key: key } = made;
  return <SecretPage title={key.name} text={texts.secret} secret={secret} back={LIST} link={texts.back} />;
}

export const revocation = plainEnding({
  submit: texts.revoke,
  operation: 'POST /operator/v1/operator-keys/{id}/revocation',
  back: LIST,
  hint: texts.revokeHint,
  subjectOf: ownName,
});
