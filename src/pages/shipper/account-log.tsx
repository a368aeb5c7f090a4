import { isId } from '../../base/ids.js';
import { Choice, Period, periodOf } from '../design/forms.js';
import { Copy, LinkLine } from '../design/pieces.js';
import { type Column, ListPage, pageQuery } from '../design/tables.js';
import { type Cells, sendCsv } from '../export.js';
import { fieldNames, operationNames, accountLogTexts as texts, valueWords } from '../texts.js';
import { asked, askedOf, type RestSchemas, type Visit } from '../visit.js';
import { Time, Word } from '../written.js';

// Shows owners which person, key or operator changed something in the account.

type Entry = RestSchemas['AccountLogEntry'];

const actors = ['account', 'member', 'key', 'operator'] as const;

const narrowing = (visit: Visit) => ({
  actor: askedOf(visit, 'actor', actors),
  actor_id: isId(asked(visit, 'actor_id')) ? asked(visit, 'actor_id') : undefined,
  operation: asked(visit, 'operation').slice(0, 64),
  ...periodOf(visit),
});

export async function showAccountLog(visit: Visit) {
  const { ask, say, language } = visit;
  const list = await ask('GET /api/v1/audit-log', { query: { ...narrowing(visit), ...pageQuery(visit) } });
  const words = Object.entries(operationNames).sort(([, one], [, other]) =>
    one[language].localeCompare(other[language]),
  );
  const filters = [
    <Choice
      name="actor"
      label={texts.who}
      value={asked(visit, 'actor')}
      options={[['', texts.anyone], ...Object.entries(valueWords.auditActors)]}
    />,
    <Choice
      name="operation"
      label={texts.operation}
      value={asked(visit, 'operation')}
      options={[['', texts.any], ...words]}
    />,
    <Period />,
  ];
  return (
    <ListPage title={texts.audit} above={<p>{say(texts.hint)}</p>} {...{ columns, list, filters }}>
      <LinkLine href={`/envios/audit-log.csv${visit.url.search}`} text={texts.asCsv} />
    </ListPage>
  );
}

/** The present name of a person or key, else the kind of actor. It links to other entries of the same actor. */
function Who({ of: { kind, id, name } }: { of: Entry['actor'] }) {
  const text = name ?? <Word of={valueWords.auditActors} value={kind} />;
  return id === undefined ? text : <a href={`/envios/audit-log?actor_id=${id}`}>{text}</a>;
}

const columns: readonly Column<Entry>[] = [
  [texts.when, ({ created_at: at }) => <Time at={at} />],
  [texts.operation, ({ operation }) => <Word of={operationNames} value={operation} />],
  [texts.who, ({ actor }) => <Who of={actor} />],
  [
    texts.targets,
    ({ targets, location }) => [
      ...Object.entries(targets).map(([name, value]) => (
        <div>
          <FieldName of={name} /> <Target name={name} value={value} />
        </div>
      )),
      <OrderAt path={location} />,
    ],
  ],
  [texts.fields, ({ fields }) => fields.map((name, at) => [at > 0 && ', ', <FieldName of={name} />])],
];

/** A field of a body or an argument of GraphQL. Names like `pickupIndex` are shown like those of REST. */
const FieldName = ({ of }: { of: string }) => (
  <Word of={fieldNames} value={of.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} />
);

/** A link to the order that was created. Shows nothing for other entries. */
function OrderAt({ path = '' }: { path: string | undefined }) {
  const [, id] = /^\/api\/v1\/orders\/([^/]+)$/.exec(path) ?? [];
  if (id === undefined) return null;
  return (
    <a href={`/envios/orders/${id}`}>
      <Word of={valueWords.auditTargets} value="order" />
    </a>
  );
}

function Target({ name, value }: { name: string; value: string }) {
  if (name !== 'loggi_key' && name !== 'loggiKey') return <Copy value={value} />;
  return (
    <a href={`/envios/packages/${value}`}>
      <Word of={valueWords.auditTargets} value="package" />
    </a>
  );
}

const cells: Cells<Entry> = [
  [texts.when, ({ created_at: at }, { time }) => time(at)],
  [texts.operation, ({ operation }, { word }) => word(operationNames, operation)],
  [texts.who, ({ actor: { kind, name } }, { word }) => name ?? word(valueWords.auditActors, kind)],
  [texts.targets, ({ targets, location }) => [...Object.values(targets), location ?? ''].join(' ').trim()],
  [texts.fields, ({ fields }) => fields.join(' ')],
];

/** Sends the log as a CSV file. */
export const sendAccountLog = (visit: Visit) =>
  sendCsv(visit, 'audit-log', cells, (paging) =>
    visit.ask('GET /api/v1/audit-log', { query: { ...narrowing(visit), ...paging } }),
  );
