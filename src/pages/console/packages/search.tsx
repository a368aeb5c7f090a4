import type { components } from '../../../../generated/rest.js';
import { isId } from '../../../base/ids.js';
import { type Column, Empty, type TableProps, TableSection } from '../../design/index.js';
import { dataIfAny, dataOf, type Schemas } from '../../session/operations.js';
import { redirect, type Visit } from '../../session/visit.js';
import { packageTexts as texts } from '../../texts.js';
import { Time } from '../../times.js';
import { show } from '../frame.js';
import { packageColumns, type TrackedPackage } from './list.js';

type RestSchemas = components['schemas'];

interface Found {
  packages: TrackedPackage[];
  orders: (RestSchemas['OrderSummary'] | RestSchemas['Order'])[];
  users: RestSchemas['User'][];
  deliveries: Schemas['Delivery'][];
  endpoints: Schemas['WebhookEndpoint'][];
}

const MOST_LISTED = 20;

async function oneOrNone<T>(call: Parameters<typeof dataIfAny<T>>[0]): Promise<T[]> {
  const value = await dataIfAny(call);
  return value === undefined ? [] : [value];
}

/** The package, order, user, webhook body or endpoint of the id. */
async function byId({ operator, rest }: Visit, id: string): Promise<Found> {
  const params = { path: { id, loggi_key: id, webhook_id: id } };
  const [packages, orders, users, deliveries, endpoints] = await Promise.all([
    oneOrNone(operator.GET('/operator/v1/packages/{loggi_key}', { params })),
    oneOrNone(rest.GET('/api/v1/orders/{id}', { params })),
    oneOrNone(rest.GET('/api/v1/users/{id}', { params })),
    oneOrNone(operator.GET('/operator/v1/deliveries/{webhook_id}', { params })),
    oneOrNone(operator.GET('/operator/v1/webhook-endpoints/{id}', { params })),
  ]);
  return { packages, orders, users, deliveries, endpoints };
}

/** Packages by their codes and recipients, orders by their external id, users by a part of name or e-mail. */
async function byText({ operator, rest }: Visit, text: string): Promise<Found> {
  const page_size = MOST_LISTED;
  const [orders, users, packages] = await Promise.all([
    dataOf(rest.GET('/api/v1/orders', { params: { query: { external_id: text, page_size } } })),
    dataOf(rest.GET('/api/v1/users', { params: { query: { search: text.slice(0, 100), page_size } } })),
    dataOf(operator.GET('/operator/v1/packages', { params: { query: { q: text, page_size } } })),
  ]);
  const listed = new Set(orders.data.map(({ id }) => id));
  return {
    packages: packages.data.filter(({ order_id: order }) => !listed.has(order)),
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

export async function showSearch(visit: Visit): Promise<void> {
  const { url } = visit;
  const text = (url.searchParams.get('q') ?? '').trim().slice(0, 255);
  if (text === '') return redirect(visit, '/console');
  const found = await (isId(text) ? byId(visit, text) : byText(visit, text));
  const only = onlyPage(found);
  if (only !== undefined) return redirect(visit, only);
  const isNothing = Object.values(found).every((each) => each.length === 0);
  show(
    visit,
    texts.results,
    <>
      {isNothing && <Empty text={texts.nothing} />}
      <Results caption={texts.packages} rows={found.packages} columns={packageColumns} />
      <Results caption={texts.orders} rows={found.orders} columns={orderColumns} />
      <Results caption={texts.users} rows={found.users} columns={userColumns} />
    </>,
  );
}

const Results = <Row,>(table: TableProps<Row>) => (table.rows.length === 0 ? null : <TableSection {...table} />);

const orderColumns: readonly Column<Found['orders'][number]>[] = [
  [texts.order, ({ id, external_id: name }) => <a href={`/console/orders/${id}`}>{name}</a>],
  [texts.status, ({ status }) => status],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
];

const userColumns: readonly Column<RestSchemas['User']>[] = [
  [texts.name, ({ id, name }) => <a href={`/console/users/${id}`}>{name}</a>],
  [texts.email, ({ email }) => email],
  [texts.phone, ({ phone }) => phone],
];
