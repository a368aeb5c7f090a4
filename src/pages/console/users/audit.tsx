import { isId } from '../../../base/ids.js';
import { Choice } from '../../design/forms.js';
import { type Column, ListPage, pageQuery } from '../../design/tables.js';
import { asked, type Schemas, type Visit } from '../../session/visit.js';
import { fieldNames, operationNames, userTexts as texts } from '../../texts.js';
import { Say, Time, Word } from '../../written.js';
import { AccountField, accountFilter, Named, type Names, namesOf } from '../names.js';

export async function showAudit(visit: Visit) {
  const { ask, language } = visit;
  const operation = asked(visit, 'operation');
  const { id: actor_id, instead } = await accountFilter(visit, 'actor_id');
  const query = { ...pageQuery(visit), operation: operation.slice(0, 64), actor_id };
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
  const columns = columnsWith(await namesOf(visit, ids));
  return <ListPage title={texts.audit} list={log} {...{ columns, filters, instead }} />;
}

const columnsWith = (names: Names): readonly Column<Schemas['AuditEntry']>[] => [
  [texts.when, ({ created_at: at }) => <Time at={at} />],
  [texts.operation, ({ operation }) => <Word of={operationNames} value={operation} />],
  [texts.who, ({ actor_id: id }) => (id ? <Named {...{ id, names }} /> : <Say text={texts.machine} />)],
  [
    texts.targets,
    ({ targets }) =>
      Object.entries(targets).map(([name, value]) => (
        <div>
          <Word of={fieldNames} value={name} /> {isId(value) ? <Named id={value} {...{ names }} /> : value}
        </div>
      )),
  ],
  [texts.fields, ({ fields }) => fields.map((name, at) => [at > 0 && ', ', <Word of={fieldNames} value={name} />])],
];
