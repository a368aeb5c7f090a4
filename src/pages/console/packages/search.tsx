import type { components } from '../../../../generated/rest.js';
import { isId } from '../../../base/ids.js';
import { Time } from '../components.js';
import { show } from '../frame.js';
import { type Column, Table } from '../lists.js';
import { dataIfAny, dataOf, type Schemas } from '../operations.js';
import { redirect, type Visit } from '../visit.js';
import { packageColumns, type TrackedPackage } from './list.js';
import { texts } from './texts.js';

type RestSchemas = components['schemas'];

/** What a search found, by kind. */
interface Found {
  packages: TrackedPackage[];
  orders: (RestSchemas['OrderSummary'] | RestSchemas['Order'])[];
  users: RestSchemas['User'][];
  deliveries: Schemas['Delivery'][];
  endpoints: Schemas['WebhookEndpoint'][];
}

const BARCODE = /^\d{18}$/;
const TRACKING_CODE = /^[0-9A-Z*~$=]{12}$/;
const MOST_LISTED = 20;

const oneOrNone = <T,>(value: T | undefined): T[] => (value === undefined ? [] : [value]);

/** Whatever has the id: package, order, user, webhook body or endpoint. */
async function byId({ operator, rest }: Visit, id: string): Promise<Found> {
  const params = { path: { id } };
  const [tracked, order, user, delivery, endpoint] = await Promise.all([
    dataIfAny(operator.GET('/operator/v1/packages/{loggi_key}', { params: { path: { loggi_key: id } } })),
    dataIfAny(rest.GET('/api/v1/orders/{id}', { params })),
    dataIfAny(rest.GET('/api/v1/users/{id}', { params })),
    dataIfAny(operator.GET('/operator/v1/deliveries/{webhook_id}', { params: { path: { webhook_id: id } } })),
    dataIfAny(operator.GET('/operator/v1/webhook-endpoints/{id}', { params })),
  ]);
  return {
    packages: oneOrNone(tracked),
    orders: oneOrNone(order),
    users: oneOrNone(user),
    deliveries: oneOrNone(delivery),
    endpoints: oneOrNone(endpoint),
  };
}

/** Packages by their codes, orders by their external id, users by a part of name or e-mail. */
async function byText({ operator, rest }: Visit, text: string): Promise<Found> {
  const code = text.toUpperCase();
  const codes = [
    ...(BARCODE.test(code) ? [{ barcode: code }] : []),
    ...(TRACKING_CODE.test(code) ? [{ tracking_code: code }] : []),
  ];
  const page_size = MOST_LISTED;
  const [orders, users, ...packages] = await Promise.all([
    dataOf(rest.GET('/api/v1/orders', { params: { query: { external_id: text, page_size } } })),
    dataOf(rest.GET('/api/v1/users', { params: { query: { search: text.slice(0, 100), page_size } } })),
    ...codes.map((query) => dataOf(operator.GET('/operator/v1/packages', { params: { query } }))),
  ]);
  return {
    packages: packages.flatMap(({ data }) => data),
    orders: orders.data,
    users: users.data,
    deliveries: [],
    endpoints: [],
  };
}

/** The page of the only thing that was found; undefined when there are none or several. */
function onlyPage({ packages, orders, users, deliveries, endpoints }: Found): string | undefined {
  const pages = [
    ...packages.map(({ loggi_key: key }) => `/console/packages/${key}`),
    ...orders.map(({ id }) => `/console/orders/${id}`),
    ...users.map(({ id }) => `/console/users/${id}`),
    ...deliveries.map(({ webhook_id: id }) => `/console/deliveries/${id}`),
    ...endpoints.map(({ id }) => `/console/webhook-endpoints/${id}`),
  ];
  return pages.length === 1 ? pages[0] : undefined;
}

/** `GET /console/search?q=` */
export async function showSearch(visit: Visit): Promise<void> {
  const { url, say } = visit;
  const text = (url.searchParams.get('q') ?? '').trim().slice(0, 255);
  if (text === '') return redirect(visit, '/console');
  const found = await (isId(text) ? byId(visit, text) : byText(visit, text));
  const only = onlyPage(found);
  if (only !== undefined) return redirect(visit, only);
  const isNothing = Object.values(found).every((each) => each.length === 0);
  show(
    visit,
    say(texts.results),
    <>
      {isNothing && <p class="empty">{say(texts.nothing)}</p>}
      <Results visit={visit} name={texts.packages} rows={found.packages} columns={packageColumns(visit)} />
      <Results visit={visit} name={texts.orders} rows={found.orders} columns={orderColumns(visit)} />
      <Results visit={visit} name={texts.users} rows={found.users} columns={userColumns} />
    </>,
  );
}

interface ResultsProps<Row> {
  visit: Visit;
  name: (typeof texts)[keyof typeof texts];
  rows: readonly Row[];
  columns: readonly Column<Row>[];
}

function Results<Row>({ visit, name, rows, columns }: ResultsProps<Row>) {
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>{visit.say(name)}</h2>
      <Table visit={visit} caption={name} rows={rows} columns={columns} />
    </section>
  );
}

const orderColumns = (visit: Visit): Column<Found['orders'][number]>[] => [
  { heading: texts.order, cell: ({ id }) => <a href={`/console/orders/${id}`}>{id}</a> },
  { heading: texts.externalId, cell: ({ external_id: id }) => id },
  { heading: texts.status, cell: ({ status }) => status },
  { heading: texts.created, cell: ({ created_at: at }) => <Time visit={visit} at={at} /> },
];

const userColumns: Column<RestSchemas['User']>[] = [
  { heading: texts.name, cell: ({ id, name }) => <a href={`/console/users/${id}`}>{name}</a> },
  { heading: texts.email, cell: ({ email }) => email },
  { heading: texts.phone, cell: ({ phone }) => phone },
];
