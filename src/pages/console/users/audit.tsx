import { isId } from '../../../base/ids.js';
import { Field, Time } from '../components.js';
import { show } from '../frame.js';
import { type Column, Listing, pageQuery } from '../lists.js';
import { dataOf, type Schemas } from '../operations.js';
import type { Visit } from '../visit.js';
import { texts } from './texts.js';

type Entry = Schemas['AuditEntry'];

/** `GET /console/audit-log` */
export async function showAudit(visit: Visit): Promise<void> {
  const { operator, say, url } = visit;
  const [operation, actor] = ['operation', 'actor_id'].map((name) => url.searchParams.get(name)?.trim() ?? '');
  const query = {
    ...pageQuery(visit),
    ...(operation && { operation: operation.slice(0, 64) }),
    ...(actor && isId(actor) && { actor_id: actor }),
  };
  const log = await dataOf(operator.GET('/operator/v1/audit-log', { params: { query } }));
  show(
    visit,
    say(texts.audit),
    <Listing
      visit={visit}
      caption={texts.audit}
      columns={entryColumns(visit)}
      list={log}
      filters={
        <>
          <Field visit={visit} name="operation" label={texts.operation} value={operation} maxLength={64} />
          <Field visit={visit} name="actor_id" label={texts.who} value={actor} maxLength={36} />
        </>
      }
    />,
  );
}

const entryColumns = (visit: Visit): Column<Entry>[] => [
  { heading: texts.when, cell: ({ created_at: at }) => <Time visit={visit} at={at} /> },
  { heading: texts.operation, cell: ({ operation }) => <code>{operation}</code> },
  {
    heading: texts.who,
    cell: ({ actor_id: id }) =>
      id === undefined ? visit.say(texts.machine) : <a href={`/console/users/${id}`}>{id}</a>,
  },
  {
    heading: texts.targets,
    cell: ({ targets }) =>
      Object.entries(targets).map(([name, value]) => (
        <div>
          {name} <code>{value}</code>
        </div>
      )),
  },
  { heading: texts.fields, cell: ({ fields }) => fields.join(', ') },
];
