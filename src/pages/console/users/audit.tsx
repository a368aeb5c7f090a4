import { isId } from '../../../base/ids.js';
import { type Column, Copy, Field, Listing, pageQuery } from '../../design/index.js';
import { Say, Verbatim, Word } from '../../page.js';
import { dataOf, type Schemas } from '../../session/operations.js';
import type { Visit } from '../../session/visit.js';
import { fieldNames, userTexts as texts } from '../../texts.js';
import { Time } from '../../times.js';
import { show } from '../frame.js';

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
  show(visit, texts.audit, <Listing caption={texts.audit} columns={entryColumns} list={log} filters={filters} />);
}

const entryColumns: readonly Column<Schemas['AuditEntry']>[] = [
  [texts.when, ({ created_at: at }) => <Time at={at} />],
  [
    texts.operation,
    ({ operation }) => (
      <code>
        <Verbatim>{operation}</Verbatim>
      </code>
    ),
  ],
  [
    texts.who,
    ({ actor_id: id }) =>
      id ? (
        <a href={`/console/users/${id}`}>
          <Say text={texts.seeAccount} />
        </a>
      ) : (
        <Say text={texts.machine} />
      ),
  ],
  [
    texts.targets,
    ({ targets }) =>
      Object.entries(targets).map(([name, value]) => (
        <div>
          <Word of={fieldNames} value={name} /> {isId(value) ? <Copy value={value} /> : value}
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
