import { isId } from '../../../base/ids.js';
import { type Column, Field, Listing, pageQuery } from '../../design/index.js';
import { Say, Word } from '../../page.js';
import { dataOf, type Schemas } from '../../session/operations.js';
import type { Visit } from '../../session/visit.js';
import { fieldNames, operationNames, userTexts as texts } from '../../texts.js';
import { Time } from '../../times.js';
import { show } from '../frame.js';
import { Named, type Names, namesOf } from '../names.js';

export async function showAudit(visit: Visit): Promise<void> {
  const { operator, url } = visit;
  const [operation, actor] = ['operation', 'actor_id'].map((name) => url.searchParams.get(name)?.trim() ?? '');
  const query = {
    ...pageQuery(visit),
    ...(operation && { operation: operation.slice(0, 64) }),
    ...(actor && isId(actor) && { actor_id: actor }),
  };
  const log = await dataOf(operator.GET('/operator/v1/audit-log', { params: { query } }));
  const filters = (
    <>
      <Field name="operation" label={texts.operation} value={operation} maxLength={64} />
      <Field name="actor_id" label={texts.who} value={actor} maxLength={36} />
    </>
  );
  const ids = log.data.flatMap((entry) => [entry.actor_id, ...Object.values(entry.targets).filter(isId)]);
  const columns = columnsWith(await namesOf(visit, ids));
  show(visit, texts.audit, <Listing caption={texts.audit} list={log} {...{ columns, filters }} />);
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
  [
    texts.fields,
    ({ fields }) =>
      fields.map((name) => (
        <div>
          <Word of={fieldNames} value={name} />
        </div>
      )),
  ],
];
