import { isId } from '../../base/ids.js';
import { Choice, Field, Period, periodOf } from '../design/forms.js';
import { LinkLine, Section, TextLink } from '../design/pieces.js';
import { type Column, ListPage, pageQuery } from '../design/tables.js';
import { type Cells, grouped, sendCsv } from '../export.js';
import { deliveryOutcomes } from '../facts.js';
import { AttemptChoice } from '../shared/attempts.js';
import { handOn, labelQuery, priceCells } from '../shared/files.js';
import { addressText, OrderChip, orderStages, Promised, placeText, StatusChip } from '../shared/words.js';
import { packageTexts, statusNames, type Text, shipperTexts as texts, valueWords } from '../texts.js';
import { asked, askedOf, hrefWith, type RestSchemas, useVisit, type Visit } from '../visit.js';
import { Money, NumberText, Say, Time } from '../written.js';

/** The parameters that both lists share, from the filter form or from a link. */
const narrowing = (visit: Visit) => ({
  external_id: asked(visit, 'external_id'),
  ...periodOf(visit),
  ...pageQuery(visit),
});

/** Fields that filter a list. `name` is the name of its status parameter; `statuses` has a text for each status. */
function Narrowing({ name, statuses: words }: { name: string; statuses: Partial<Readonly<Record<string, Text>>> }) {
  const visit = useVisit();
  const options = Object.entries(words).map(([status, text]) => [status, text ?? status] as const);
  return [
    <Choice name={name} label={texts.status} value={asked(visit, name)} options={[['', texts.every], ...options]} />,
    <Period />,
  ];
}

const orderQuery = (visit: Visit) => ({ status: askedOf(visit, 'status', orderStages), ...narrowing(visit) });

/** Sends the list as a CSV file. */
export const sendOrders = (visit: Visit) =>
  sendCsv(visit, 'orders', orderCells, (paging) =>
    visit.ask('GET /api/v1/orders', { query: { ...orderQuery(visit), with_pricing: true, ...paging } }),
  );

const orderCells: Cells<RestSchemas['OrderSummary']> = [
  [texts.reference, ({ external_id: name }) => name],
  [texts.status, ({ status }, { word }) => word(valueWords.stages, status)],
  ...priceCells,
  [texts.created, ({ created_at: at }, { time }) => time(at)],
];

export async function showOrders(visit: Visit) {
  const query = orderQuery(visit);
  const list = await visit.ask('GET /api/v1/orders', { query });
  const filters = [
    <Field name="external_id" label={texts.reference} value={asked(visit, 'external_id')} maxLength={255} />,
    <Narrowing name="status" statuses={valueWords.stages} />,
  ];
  return (
    <ListPage title={texts.orders} columns={listColumns} empty={texts.noOrders} {...{ list, filters }}>
      {list.data.length > 0 && <PrintForm action="/envios/labels" lists />}
      <LinkLine href={`/envios/orders.csv${visit.url.search}`} text={texts.asCsv} />
    </ListPage>
  );
}

export const orderColumns: readonly Column<RestSchemas['OrderSummary']>[] = [
  [texts.order, (order) => <OrderLink order={order} />],
  [texts.status, ({ status }) => <OrderChip status={status} />],
  [texts.packages, ({ package_count: count }) => <NumberText of={count} />, 'number'],
  [texts.total, ({ total }) => <Money amount={total} />, 'number'],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
];

const listColumns: typeof orderColumns = [
  ...orderColumns,
  [texts.print, ({ id, external_id: name }) => <PrintBox name="order" value={id} label={name ?? ''} />],
];

function packageQuery(visit: Visit) {
  const code = asked(visit, 'status_code');
  const named = { search: asked(visit, 'search'), reference: asked(visit, 'reference') };
  const attempt_outcome = askedOf(visit, 'attempt_outcome', deliveryOutcomes);
  const status = /^\d{1,4}$/.test(code) && { status_code: Number(code) };
  return { ...status, attempt_outcome, ...named, ...narrowing(visit) };
}

/** Sends the list as a CSV file. */
export const sendPackages = (visit: Visit) =>
  sendCsv(visit, 'packages', packageCells, (paging) =>
    visit.ask('GET /api/v1/packages', { query: { ...packageQuery(visit), ...paging } }),
  );

const packageCells: Cells<RestSchemas['PackageRecord']> = [
  [texts.package, ({ tracking_code: code }) => grouped(code)],
  [texts.packageReference, ({ reference }) => reference],
  [texts.recipient, ({ recipient }) => recipient.name],
  [texts.address, ({ address }) => addressText(address)],
  [
    texts.status,
    ({ status }, { word }) => word(statusNames, String(status.code)).replace(/^\d+$/, status.high_level_status),
  ],
  [texts.since, ({ status }, { time }) => time(status.updated_at)],
  [texts.promised, ({ promised_date: day }, { date }) => date(day)],
  [packageTexts.attempts, ({ attempts }) => attempts?.count],
  [packageTexts.lastAttempt, ({ attempts }, { word }) => word(valueWords.attemptOutcomes, attempts?.last_outcome)],
  [texts.order, ({ order_id: id }) => id],
];

export async function showPackages(visit: Visit) {
  const list = await visit.ask('GET /api/v1/packages', { query: packageQuery(visit) });
  const filters = [
    <Field name="search" type="search" label={texts.searchLabel} value={asked(visit, 'search')} maxLength={100} />,
    <Narrowing name="status_code" statuses={statusNames} />,
    <AttemptChoice value={askedOf(visit, 'attempt_outcome', deliveryOutcomes)} />,
  ];
  return (
    <ListPage title={texts.packages} columns={packageColumns} empty={texts.noPackages} {...{ list, filters }}>
      {list.data.length > 0 && <PrintForm action="/envios/packages/labels" />}
      <LinkLine href={`/envios/packages.csv${visit.url.search}`} text={texts.asCsv} />
    </ListPage>
  );
}

const packageColumns: readonly Column<RestSchemas['PackageRecord']>[] = [
  [texts.package, (carried) => [<PackageLink carried={carried} />, <Reference {...carried} />]],
  [texts.recipient, ({ recipient }) => recipient.name],
  [texts.city, ({ resolved_address: place }) => placeText(place)],
  [texts.status, ({ status }) => <StatusChip status={status} />],
  [texts.since, ({ status }) => <Time at={status.updated_at} />],
  [texts.promised, (carried) => <Promised {...carried} />],
  [texts.print, (carried) => <PrintBox name="package" value={printValue(carried)} label={carried.tracking_code} />],
];

/** Shows the shipper's own reference of a package, under its code. */
const Reference = ({ reference }: { reference?: string | undefined }) =>
  reference === undefined ? null : <span class="hint below">{reference}</span>;

/** The value of a checkbox: order id and package key, because the operation for labels needs both. */
const printValue = ({ order_id: order, loggi_key: key }: RestSchemas['PackageRecord']): string => `${order}.${key}`;

/**
 * Searches. Redirects to the order with this external id, or to the only package found. Otherwise redirects to the list
 * of the packages found, which may be empty.
 */
export async function search(visit: Visit): Promise<string> {
  const text = asked(visit, 'q');
  if (isId(text)) {
    const carried = await visit.askIfAny('GET /api/v1/packages/{loggi_key}', { path: { loggi_key: text } });
    return carried ? `/envios/packages/${text}` : `/envios/orders/${text}`;
  }
  const { data: named } = await visit.ask('GET /api/v1/orders', { query: { external_id: text } });
  if (named[0] && text !== '') return `/envios/orders/${named[0].id}`;
  const { data: found } = await visit.ask('GET /api/v1/packages', {
    query: { search: text.slice(0, 100), page_size: 2 },
  });
  if (found[0] && !found[1]) return `/envios/packages/${found[0].loggi_key}`;
  return `/envios/packages?search=${encodeURIComponent(text)}`;
}

/** Links to an order by its external id. */
const OrderLink = ({ order }: { order: { id: string; external_id: string | null } }) => (
  <a href={`/envios/orders/${order.id}`}>{order.external_id ?? <Say text={texts.unnamed} />}</a>
);

export const PackageLink = ({ carried }: { carried: { loggi_key: string; tracking_code: string } }) => (
  <a href={`/envios/packages/${carried.loggi_key}`}>{carried.tracking_code}</a>
);

/** Maximum number of orders in a file of labels, by the contract. */
const MAX_ORDERS = 50;

/** The id of the form that prints. The checkboxes in the rows belong to it. */
const FORM = 'labels';

/** The parameter of the address that selects all rows of the page. */
const MARKED = 'marked';

const PrintBox = ({ name, value, label }: Record<'name' | 'value' | 'label', string>) => {
  const visit = useVisit();
  const isMarked = asked(visit, MARKED) === 'all';
  const hint = `${visit.say(texts.labels)} ${label}`;
  return <input type="checkbox" {...{ name, value }} form={FORM} checked={isMarked} aria-label={hint} />;
};

/** Prints the labels of the selected rows. With `lists`, a second button makes a collection list. */
function PrintForm({ action, lists = false }: { action: string; lists?: boolean }) {
  const visit = useVisit();
  const { say, session } = visit;
  const isMarked = asked(visit, MARKED) === 'all';
  return (
    <form id={FORM} action={action} class="send">
      <TextLink
        href={hrefWith(visit, { [MARKED]: isMarked ? '' : 'all' })}
        text={isMarked ? texts.unmarkAll : texts.markAll}
      />
      <select name="layout" aria-label={say(texts.labels)}>
        <option value="100x150">{say(texts.labelPdf)}</option>
        <option value="a4">{say(texts.labelSheet)}</option>
      </select>
      <button type="submit" class="secondary">
        {say(texts.printChosen)}
      </button>
      {lists && session?.member?.role !== 'viewer' && (
        <button type="submit" class="secondary" formAction="/envios/collections/new">
          {say(texts.listChosen)}
        </button>
      )}
    </form>
  );
}

/** Links to the labels of these orders, split into files of at most 50 orders. */
export function LabelFiles({ orders }: { orders: readonly string[] }) {
  const { say } = useVisit();
  const files = Array.from({ length: Math.ceil(orders.length / MAX_ORDERS) }, (_, at) => at * MAX_ORDERS);
  return (
    <Section title={texts.labels}>
      {files.map((from) => {
        const ids = orders.slice(from, from + MAX_ORDERS);
        return (
          <p>
            <a class="button" href={`/envios/labels?order=${ids.join(',')}`}>
              {say(texts.printLabels)} {from + 1}–{from + ids.length}
            </a>
          </p>
        );
      })}
    </Section>
  );
}

/** Sends the labels of the selected orders. Without a selection, redirects to the list. */
export async function sendManyLabels(visit: Visit) {
  const order_ids = visit.url.searchParams.getAll('order').join(',');
  if (order_ids === '') return '/envios/orders';
  return handOn(visit, 'GET /api/v1/labels/{order_ids}', { path: { order_ids }, query: labelQuery(visit) });
}

/**
 * Sends the labels of the selected packages, which are rows of one page. Without a selection, redirects to the list.
 */
export async function sendPackageLabels(visit: Visit) {
  const marked = visit.url.searchParams.getAll('package').map((value) => value.split('.'));
  const [orders, keys] = [0, 1].map((part) => [...new Set(marked.flatMap((parts) => parts[part] ?? []))].join(','));
  if (!orders || !keys) return '/envios/packages';
  const query = { ...labelQuery(visit), loggi_keys: keys };
  return handOn(visit, 'GET /api/v1/labels/{order_ids}', { path: { order_ids: orders }, query });
}
