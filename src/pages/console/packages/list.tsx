import type { ComponentChildren } from 'preact';
import { DAY_MS } from '../../../base/clock.js';
import { isId } from '../../../base/ids.js';
import { onlyOne } from '../../../base/values.js';
import { Choice, Field, type Option, Period, periodOf } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { Empty, LinkLine } from '../../design/pieces.js';
import { type Column, ListPage, pageQuery, TableIfAny } from '../../design/tables.js';
import { type Cells, type List, type Paging, sendCsv } from '../../export.js';
import { deliveryOutcomes } from '../../facts.js';
import type { Route } from '../../session/place.js';
import { AttemptChoice } from '../../shared/attempts.js';
import { OrderChip, orderStages, Promised, placeText, StatusChip, statusTitle } from '../../shared/words.js';
import { type Text, packageTexts as texts, valueWords } from '../../texts.js';
import { asked, askedOf, type Bare, type RestSchemas, type Schemas, type Visit } from '../../visit.js';
import { Money, Time } from '../../written.js';
import { AccountField, type AccountFilter, accountFilter, Named, type Names, namesOf, pageOf } from '../names.js';
import { orderCells, packageCells, type Summary } from './cells.js';

export type TrackedPackage = Schemas['TrackedPackage'];

const packageColumns: readonly Column<TrackedPackage>[] = [
  [texts.tracking_code, ({ loggi_key: key, tracking_code: code }) => <a href={`/console/packages/${key}`}>{code}</a>],
  [texts.status, ({ status }) => <StatusChip status={status} />],
  [texts.since, ({ status }) => <Time at={status.updated_at} />],
  [texts.recipient, ({ recipient }) => recipient.name],
  [texts.promised, (carried) => <Promised {...carried} />],
  [texts.location, ({ location }) => placeText(location)],
];

export type CatalogueEntry = Schemas['CatalogueStatus'];

/** The whole catalogue of statuses. */
export const catalogueOf = async ({ ask }: Visit): Promise<readonly CatalogueEntry[]> =>
  (await ask('GET /operator/v1/package-statuses', { query: { page_size: 100 } })).data;

export function statusOption(visit: Bare, status: CatalogueEntry): Option {
  const { public_title_pt_br: portuguese, public_title_en: english } = status;
  const title = portuguese !== undefined &&
    english !== undefined && { public_title: { pt_br: portuguese, en: english } };
  return [String(status.code), statusTitle(visit, { ...status, ...title })];
}

const STUCK_MS = 3 * DAY_MS;

const kinds = ['open', 'late', 'stuck'] as const;

/** The parameters of the operation, from the filter form or from a link. */
function packageFilters(visit: Visit) {
  const [status, which] = [asked(visit, 'status_code'), asked(visit, 'which')];
  const threeDaysAgo = which === 'stuck' ? new Date(visit.now.getTime() - STUCK_MS).toISOString() : '';
  return {
    status_code: /^\d{1,5}$/.test(status) ? Number(status) : undefined,
    open: which === 'open' || asked(visit, 'open') === 'true' || undefined,
    late: which === 'late' || asked(visit, 'late') === 'true' || undefined,
    stuck_since: asked(visit, 'stuck_since') || threeDaysAgo,
    order_id: asked(visit, 'order_id'),
    attempt_outcome: askedOf(visit, 'attempt_outcome', deliveryOutcomes),
  };
}

async function packageFields(visit: Visit) {
  const { late, stuck_since, open, status_code, attempt_outcome } = packageFilters(visit);
  const which = late ? 'late' : stuck_since ? 'stuck' : open ? 'open' : '';
  const whichOptions = [['', texts.every], ...kinds.map((kind) => [kind, texts[kind]] as const)] as const;
  const options = [
    ['', texts.anyStatus],
    ...(await catalogueOf(visit)).map((each) => statusOption(visit, each)),
  ] as const;
  return [
    <Choice name="status_code" label={texts.status} value={String(status_code ?? '')} options={options} />,
    <Choice name="which" label={texts.which} value={which} options={whichOptions} />,
    <AttemptChoice value={attempt_outcome} />,
  ];
}

export const packageList = listRoutes<TrackedPackage>({
  path: '/console/packages',
  title: texts.packages,
  read: (visit, query) => visit.ask('GET /operator/v1/packages', { query: { ...packageFilters(visit), ...query } }),
  columnsOf: async () => packageColumns,
  filtersOf: packageFields,
  above: <LinkLine href="/console/movements/import" text={texts.importMovements} />,
  cells: packageCells,
});

const orderColumns = (names: Names): readonly Column<Summary>[] => [
  [texts.order, ({ id }) => <Named {...{ id, names }} />],
  [texts.account, ({ user_id: id }) => <Named {...{ id, names }} />],
  [texts.status, ({ status }) => <OrderChip status={status} />],
  [texts.packages, ({ package_count: count }) => count, 'number'],
  [texts.total, ({ total }) => <Money amount={total} />, 'number'],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
];

const orderFilters = (visit: Visit) => ({
  status: askedOf(visit, 'status', orderStages),
  open: asked(visit, 'status') === 'open' || undefined,
});

async function orderFields(visit: Visit) {
  const words = Object.entries(valueWords.stages);
  const options = [['', texts.anyStatus], ['open', texts.open], ...words] as const;
  return <Choice name="status" label={texts.status} value={asked(visit, 'status')} options={options} />;
}

export const orderList = listRoutes<Summary>({
  path: '/console/orders',
  title: texts.orders,
  read: (visit, query) => visit.ask('GET /operator/v1/orders', { query: { ...orderFilters(visit), ...query } }),
  inFile: { with_pricing: true },
  columnsOf: async (visit, rows) => {
    const ids = rows.flatMap(({ id, user_id: user }) => [id, user]);
    return orderColumns(await namesOf(visit, ids));
  },
  filtersOf: orderFields,
  rowsOf: async (visit, rows) => {
    const names = await namesOf(
      visit,
      rows.map(({ user_id: user }) => user),
    );
    return rows.map((order) => ({ ...order, account: names.get(order.user_id)?.name }));
  },
  cells: orderCells,
});

/** Parameters that the lists of orders and packages have in common. */
type CommonQuery = ReturnType<typeof periodOf> & Record<'q' | 'user_id', string> & { with_pricing?: true };

interface Listed<Row> {
  path: string;
  title: Text;
  read: (visit: Visit, query: CommonQuery & Paging) => Promise<List<Row>>;
  columnsOf: (visit: Visit, rows: readonly Row[]) => Promise<readonly Column<Row>[]>;
  /** The fields of the filter that only this list has. */
  filtersOf: (visit: Visit) => Promise<ComponentChildren>;
  above?: ComponentChildren;
  /** The columns of the CSV file. */
  cells: Cells<Row>;
  /** Parameters of the operation that only the CSV file needs. */
  inFile?: { with_pricing?: true };
  /** Completes the rows of the CSV file. */
  rowsOf?: (visit: Visit, rows: readonly Row[]) => Promise<readonly Row[]>;
}

/** Makes two routes: a list with its filter, and the same list as a CSV file. */
function listRoutes<Row>({ path, title, columnsOf, filtersOf, above, cells, inFile, rowsOf, ...list }: Listed<Row>) {
  const readerOf = (visit: Visit, { id: user_id }: AccountFilter, more: Listed<Row>['inFile'] = {}) => {
    const common = { ...periodOf(visit), q: asked(visit, 'q'), user_id, ...more };
    return (paging: Paging) => list.read(visit, { ...common, ...paging });
  };
  const showList = async (visit: Visit) => {
    const account = await accountFilter(visit, 'user_id');
    const page = await readerOf(visit, account)(pageQuery(visit));
    const [columns, own] = await Promise.all([columnsOf(visit, page.data), filtersOf(visit)]);
    const filters = [
      <Field name="q" type="search" label={texts.text} value={asked(visit, 'q')} maxLength={255} />,
      <AccountField />,
      <Period />,
      own,
    ];
    return (
      <ListPage list={page} instead={account.instead} {...{ title, above, columns, filters }}>
        {!account.instead && <LinkLine href={`${path}.csv${visit.url.search}`} text={texts.asCsv} />}
      </ListPage>
    );
  };
  const name = path.slice(path.lastIndexOf('/') + 1);
  const routes: Readonly<Record<string, Route>> = {
    [path]: { page: showList },
    [`${path}.csv`]: {
      page: async (visit) => {
        const read = readerOf(visit, await accountFilter(visit, 'user_id'), inFile);
        return sendCsv(visit, name, cells, async (paging) => {
          const page = await read(paging);
          return rowsOf ? { ...page, data: await rowsOf(visit, page.data) } : page;
        });
      },
    },
  };
  return routes;
}

const MAX_LISTED = 20;

/** The path of the page for this id: a record, or else the body of a webhook. Undefined for an unknown id. */
async function pageOfId(visit: Visit, id: string): Promise<string | undefined> {
  const record = (await namesOf(visit, [id])).get(id);
  if (record) return pageOf(record);
  const delivery = await visit.askIfAny('GET /operator/v1/deliveries/{webhook_id}', { path: { webhook_id: id } });
  return delivery && `/console/deliveries/${id}`;
}

/** Finds packages by code or recipient, orders by external id, and users by a part of their name or e-mail. */
async function byText({ ask }: Visit, text: string) {
  const page_size = MAX_LISTED;
  const [orders, users, packages] = await Promise.all([
    ask('GET /api/v1/orders', { query: { external_id: text, page_size } }),
    ask('GET /api/v1/users', { query: { search: text.slice(0, 100), page_size } }),
    ask('GET /operator/v1/packages', { query: { q: text, page_size } }),
  ]);
  const listed = new Set(orders.data.map(({ id }) => id));
  const others = packages.data.filter(({ order_id: order }) => !listed.has(order));
  return { packages: others, orders: orders.data, users: users.data };
}

/** Searches. A single result redirects to its page. */
export async function showSearch(visit: Visit) {
  const text = asked(visit, 'q');
  if (text === '') return '/console';
  const page = isId(text) ? await pageOfId(visit, text) : undefined;
  if (page !== undefined) return page;
  const { packages, orders, users } = await byText(visit, text);
  const all = [
    ...packages.map(({ loggi_key: id }) => ({ kind: 'package', id })),
    ...orders.map(({ id }) => ({ kind: 'order', id })),
    ...users.map(({ id }) => ({ kind: 'user', id })),
  ];
  const only = onlyOne(all);
  return (
    (only && pageOf(only)) ?? (
      <Page title={texts.results}>
        {all.length === 0 && <Empty text={texts.nothing} />}
        <TableIfAny caption={texts.packages} rows={packages} columns={packageColumns} />
        <TableIfAny caption={texts.orders} rows={orders} columns={foundOrderColumns} />
        <TableIfAny caption={texts.users} rows={users} columns={userColumns} />
      </Page>
    )
  );
}

const foundOrderColumns: readonly Column<RestSchemas['OrderSummary']>[] = [
  [texts.order, ({ id, external_id: name }) => <a href={`/console/orders/${id}`}>{name}</a>],
  [texts.status, ({ status }) => <OrderChip status={status} />],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
];

const userColumns: readonly Column<RestSchemas['User']>[] = [
  [texts.name, ({ id, name }) => <a href={`/console/users/${id}`}>{name}</a>],
  [texts.email, ({ email }) => email],
  [texts.phone, ({ phone }) => phone],
];
