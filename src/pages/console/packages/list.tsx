import type { components } from '../../../../generated/rest.js';
import { isId } from '../../../base/ids.js';
import {
  Chip,
  Choice,
  type Column,
  Empty,
  LinkLine,
  Listing,
  pageQuery,
  stageOf,
  type TableProps,
  TableSection,
} from '../../design/index.js';
import { dataIfAny, dataOf, type Schemas } from '../../session/operations.js';
import { redirect, type Visit } from '../../session/visit.js';
import { packageTexts as texts } from '../../texts.js';
import { DateText, Time } from '../../times.js';
import { show } from '../frame.js';

export type TrackedPackage = Schemas['TrackedPackage'];

export const StatusChip = (status: TrackedPackage['status']) => (
  <Chip stage={stageOf(status)} text={status.high_level_status} lang="pt-BR" />
);

export const placeText = (place: { city: string; state: string } | null | undefined): string | undefined =>
  place ? `${place.city} – ${place.state}` : undefined;

export const addressText = ({ address, complement }: Schemas['TrackedPackage']['address']): string =>
  [address, complement].filter(Boolean).join(', ');

export const packageColumns: readonly Column<TrackedPackage>[] = [
  [
    texts.trackingCode,
    ({ loggi_key, tracking_code }) => <a href={`/console/packages/${loggi_key}`}>{tracking_code}</a>,
  ],
  [texts.status, ({ status }) => <StatusChip {...status} />],
  [texts.since, ({ status }) => <Time at={status.updated_at} />],
  [texts.recipient, ({ recipient }) => recipient.name],
  [texts.promised, ({ promised_date: date }) => <DateText at={date} />],
  [texts.location, ({ location }) => placeText(location)],
];

/** The whole catalogue of statuses, as the options of a field. */
export async function statusOptions({ operator }: Visit): Promise<(readonly [value: string, name: string])[]> {
  const query = { page_size: 100 };
  const { data } = await dataOf(operator.GET('/operator/v1/package-statuses', { params: { query } }));
  return data.map(({ code, high_level_status: name }) => [String(code), `${code} ${name}`]);
}

const STUCK_MS = 3 * 86_400_000;

const kinds = ['open', 'late', 'stuck'] as const;

/** The parameters of the operation, by the filter's form or by a link. */
function filtersOf({ url, now }: Visit) {
  const asked = (name: string) => url.searchParams.get(name) || undefined;
  const [status, which, userId, orderId] = ['status_code', 'which', 'user_id', 'order_id'].map(asked);
  const stuckSince =
    asked('stuck_since') ?? (which === 'stuck' ? new Date(now.getTime() - STUCK_MS).toISOString() : undefined);
  return {
    ...(status !== undefined && /^\d{1,5}$/.test(status) && { status_code: Number(status) }),
    ...((which === 'open' || asked('open') === 'true') && { open: true }),
    ...((which === 'late' || asked('late') === 'true') && { late: true }),
    ...(stuckSince !== undefined && { stuck_since: stuckSince }),
    ...(userId !== undefined && { user_id: userId }),
    ...(orderId !== undefined && { order_id: orderId }),
  };
}

export async function showPackages(visit: Visit): Promise<void> {
  const { operator } = visit;
  const filters = filtersOf(visit);
  const query = { ...filters, ...pageQuery(visit) };
  const [statuses, packages] = await Promise.all([
    statusOptions(visit),
    dataOf(operator.GET('/operator/v1/packages', { params: { query } })),
  ]);
  const which = filters.late ? 'late' : filters.stuck_since ? 'stuck' : filters.open ? 'open' : '';
  const status = String(filters.status_code ?? '');
  const whichOptions = [['', texts.every], ...kinds.map((kind) => [kind, texts[kind]] as const)] as const;
  const fields = (
    <>
      <Choice name="status_code" label={texts.status} value={status} options={[['', texts.anyStatus], ...statuses]} />
      <Choice name="which" label={texts.which} value={which} options={whichOptions} />
    </>
  );
  show(
    visit,
    texts.packages,
    <>
      <LinkLine href="/console/movements/import" text={texts.importMovements} />
      <Listing caption={texts.packages} columns={packageColumns} list={packages} filters={fields} />
    </>,
  );
}

type RestSchemas = components['schemas'];

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
  [texts.order, ({ id }) => <a href={`/console/orders/${id}`}>{id}</a>],
  [texts.externalId, ({ external_id: id }) => id],
  [texts.status, ({ status }) => status],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
];

const userColumns: readonly Column<RestSchemas['User']>[] = [
  [texts.name, ({ id, name }) => <a href={`/console/users/${id}`}>{name}</a>],
  [texts.email, ({ email }) => email],
  [texts.phone, ({ phone }) => phone],
];
