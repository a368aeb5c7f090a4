import { keyScopes } from '../../../base/actor.js';
import { isId } from '../../../base/ids.js';
import { chosen } from '../../chosen.js';
import { Choice, Field } from '../../design/forms.js';
import { SecretPage } from '../../design/frame.js';
import { Addition, type Column, ListPage, pageQuery } from '../../design/tables.js';
import { plainEndings } from '../../session/ending.js';
import { Revoked } from '../../shared/words.js';
import { accessTexts, fieldNames, operationNames, userTexts as texts, valueWords } from '../../texts.js';
import { asked, keyed, type Schemas, type Visit } from '../../visit.js';
import { Say, Time, Word } from '../../written.js';
import { AccountField, accountFilter, Named, type Names, namesOf, ownName } from '../names.js';
import { CurrentPassword } from './list.js';

// Shows the API keys of operators' programs and the log of operators' changes.

/** Tells an operator how a lost second factor is removed. */
export const LostFactor = ({ say, session }: Visit) => (
  <p>
    {say(accessTexts.lost)} <code>malote operators reset-second-factor {session.email}</code>
  </p>
);

const LIST = '/console/operator-keys';
const ADDITION = 'POST /operator/v1/operator-keys';

export async function showKeys(visit: Visit) {
  const list = await visit.ask('GET /operator/v1/operator-keys', { query: pageQuery(visit) });
  const makers = list.data.map(({ created_by: id }) => id);
  const columns = keyColumns(await namesOf(visit, makers));
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

const keyColumns = (names: Names): readonly Column<Schemas['OperatorKey']>[] => [
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
  const scope = chosen(visit.form, 'scope', keyScopes);
  const current_password = optional('current_password') && text('current_password');
  const made = await visit.ask(ADDITION, { ...keyed(visit), body: { name: text('name'), scope, current_password } });
  const { secret, operator_key: key } = made;
  return <SecretPage title={key.name} text={texts.secret} secret={secret} back={LIST} link={texts.back} />;
}

const REVOCATION = 'POST /operator/v1/operator-keys/{id}/revocation';
export const revocation = plainEndings(LIST, ownName)(texts.revoke, REVOCATION, texts.revokeHint);

export async function showAudit(visit: Visit) {
  const { ask, language } = visit;
  const operation = asked(visit, 'operation');
  const { id: actor_id, instead } = await accountFilter(visit, 'actor_id');
  // The page of an account links to the log of only that account.
  const user_id = isId(asked(visit, 'user_id')) ? asked(visit, 'user_id') : undefined;
  const query = { ...pageQuery(visit), operation: operation.slice(0, 64), actor_id, user_id };
  const log = await ask('GET /operator/v1/audit-log', { query });
  const words = Object.entries(operationNames).sort(([, one], [, other]) =>
    one[language].localeCompare(other[language]),
  );
  const options = [['', texts.any], ...words] as const;
  const filters = [
    <Choice name="operation" label={texts.operation} value={operation} options={options} />,
    <AccountField />,
  ];
  const ids = log.data.flatMap((entry) => [entry.actor_id, ...Object.values(entry.targets).filter(isId)]);
  const columns = entryColumns(await namesOf(visit, ids));
  return <ListPage title={texts.audit} list={log} {...{ columns, filters, instead }} />;
}

const entryColumns = (names: Names): readonly Column<Schemas['AuditEntry']>[] => [
  [texts.when, ({ created_at: at }) => <Time at={at} />],
  [texts.operation, ({ operation }) => <Word of={operationNames} value={operation} />],
  [texts.who, ({ actor_id: id }) => (id ? <Named {...{ id, names }} /> : <Say text={texts.machine} />)],
  [
    texts.targets,
    ({ targets }) =>
      Object.entries(targets).map(([name, value]) => (
        <div>
          <Word of={fieldNames} value={name} /> {isId(value) ? <Named id={value} names={names} /> : value}
        </div>
      )),
  ],
  [texts.fields, ({ fields }) => fields.map((name, at) => [at > 0 && ', ', <Word of={fieldNames} value={name} />])],
];
