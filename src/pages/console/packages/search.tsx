import { isId } from '../../../base/ids.js';
import { onlyOne } from '../../../base/values.js';
import { Page } from '../../design/frame.js';
import { Empty } from '../../design/pieces.js';
import { type Column, TableIfAny } from '../../design/tables.js';
import { OrderChip } from '../../parcel/words.js';
import { asked, type RestSchemas, type Visit } from '../../session/visit.js';
import { packageTexts as texts } from '../../texts.js';
import { Time } from '../../written.js';
import { namesOf, pageOf } from '../names.js';
import { packageColumns } from './list.js';

const MOST_LISTED = 20;

/** The page of the record or webhook body of the id, if any. */
async function pageOfId(visit: Visit, id: string): Promise<string | undefined> {
  const record = (await namesOf(visit, [id])).get(id);
  if (record) return pageOf(record);
  const delivery = await visit.askIfAny('GET /operator/v1/deliveries/{webhook_id}', { path: { webhook_id: id } });
  return delivery && `/console/deliveries/${id}`;
}

/** Packages by their codes and recipients, orders by their external id, users by a part of name or e-mail. */
async function byText({ ask }: Visit, text: string) {
  const page_size = MOST_LISTED;
  const [orders, users, packages] = await Promise.all([
    ask('GET /api/v1/orders', { query: { external_id: text, page_size } }),
    ask('GET /api/v1/users', { query: { search: text.slice(0, 100), page_size } }),
    ask('GET /operator/v1/packages', { query: { q: text, page_size } }),
  ]);
  const listed = new Set(orders.data.map(({ id }) => id));
  const others = packages.data.filter(({ order_id: order }) => !listed.has(order));
  return { packages: others, orders: orders.data, users: users.data };
}

/** Leads to the page of the only thing that there is. */
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
        <TableIfAny caption={texts.orders} rows={orders} columns={orderColumns} />
        <TableIfAny caption={texts.users} rows={users} columns={userColumns} />
      </Page>
    )
  );
}

const orderColumns: readonly Column<RestSchemas['OrderSummary']>[] = [
  [texts.order, ({ id, external_id: name }) => <a href={`/console/orders/${id}`}>{name}</a>],
  [texts.status, ({ status }) => <OrderChip status={status} />],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
];

const userColumns: readonly Column<RestSchemas['User']>[] = [
  [texts.name, ({ id, name }) => <a href={`/console/users/${id}`}>{name}</a>],
  [texts.email, ({ email }) => email],
  [texts.phone, ({ phone }) => phone],
];
