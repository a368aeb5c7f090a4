import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Actor, accountSeenBy } from '../base/actor.js';
import { DAY_MS } from '../base/clock.js';
import { invalidField } from '../base/errors.js';
import { type Listed, offsetOf, type Page } from '../base/page.js';
import { namesOf } from '../db/columns.js';
import type { Db } from '../db/connect.js';
import { type Changes, type ChangesFrom, changedSince } from '../db/lists/changed-since.js';
import { createdBetween, createdSince, spans, type Tallied, talliesOf } from '../db/lists/tallies.js';
import { createdBefore, createdNear, inPartitionsOf, recently } from '../db/near.js';
import { oneRow, scalar } from '../db/one-row.js';
import { ownedBy } from '../db/owned-by.js';
import type { OrderStatus } from '../db/tables/database.js';
import { keyOfCode, ordersOfExternalId } from '../packages/queries.js';
import { allTallies, type ListedRow, readNearPage } from './near-pages.js';
import {
  type Metadata,
  type OrderSummary,
  type PricedRow,
  type PricedSummary,
  pricedColumns,
  summaryColumns,
  toPriced,
} from './order.js';

export interface OrderFilters {
  status?: OrderStatus;
  createdFrom?: Date;
  createdTo?: Date;
  readyFrom?: Date;
  readyTo?: Date;
  externalId?: string;
  trackingCode?: string;
  /** A reference of any package of the order. */
  reference?: string;
  /** Metadata that the order must have. Throws VALIDATION_ERROR for a list of all accounts. */
  metadata?: Metadata;
}

export interface NarrowedFilters extends OrderFilters {
  ids?: readonly string[];
}

/** A list of orders: of one account or all, of one status or any. `matching` is its condition on `orders`. */
interface List extends Tallied {
  actor: Actor;
  matching: RawBuilder<unknown>;
  from: Date | undefined;
  to: Date | undefined;
}

/** Most orders to skip in the index. Up to here it is cheaper than finding the start of the page by tallies. */
const SHALLOW = 1_000;

/**
 * Lists orders, newest first. Tallies give the total, and the hour in which a deep page starts. To count a million
 * orders, or to skip half of them, would take a hundred times as long as to read a page.
 */
export async function listOrders(
  db: Db,
  actor: Actor,
  filters: NarrowedFilters,
  page: Page,
): Promise<Listed<OrderSummary>> {
  const { status, ...others } = filters;
  const list = listOf(actor, filters);
  const isNearPage = Object.keys(others).length === 0 && offsetOf(page) <= SHALLOW;
  const nearPage = { accountId: accountSeenBy(actor), status, offset: offsetOf(page), size: page.pageSize };
  const read = (since?: Date) =>
    isNearPage ? readNearPage(db, { ...nearPage, since }) : readPage(db, list, filters, { ...page, since });
  const recent = await read(recently(list.to));
  const { orders, total } = isWhole(recent, page) ? recent : await read();
  return { rows: orders ?? [], total: Number(total) };
}

/** Adds service and price to the orders of a page, if they were requested. */
export async function withPrices(
  db: Db,
  isAsked: boolean | undefined,
  { rows, total }: Listed<OrderSummary>,
): Promise<Listed<PricedSummary>> {
  if (!isAsked || rows.length === 0) return { rows, total };
  const ids = rows.map(({ id }) => id);
  const priced = await scalar(
    db,
    sql<PricedRow[] | null>`(
      select json_agg(priced) from (
        select ${sql.raw(namesOf(pricedColumns))} from orders where id = any(${ids}::uuid[]) and ${inPartitionsOf('id', ids)}
      ) priced)`,
  );
  const byId = new Map(priced?.map((row) => [row.id, toPriced(row)]));
  return {
    total,
    rows: rows.map((order) => {
      const found = byId.get(order.id);
      return found ? { ...order, priced: { service: found.service, pricing: found.pricing } } : order;
    }),
  };
}

export function listChangedOrders(
  db: Db,
  actor: Actor,
  from: ChangesFrom,
  size: number,
): Promise<Changes<OrderSummary>> {
  const table = { table: 'orders', key: 'id', columns: namesOf(summaryColumns) } as const;
  return changedSince(db, actor, table, from, size);
}

function isWhole({ orders, total }: ListedRow, page: Page): boolean {
  const listed = orders?.length ?? 0;
  return listed === page.pageSize || offsetOf(page) + listed >= Number(total);
}

/** A page with `since`, the lower bound of the partitions to read. Most pages lie in the latest one or two. */
type PageSince = Page & { since: Date | undefined };

function readPage(db: Db, list: List, filters: NarrowedFilters, page: PageSince): Promise<ListedRow> {
  const { ids, total } = namedOrders(list, filters, page) ?? {
    ids: offsetOf(page) <= SHALLOW ? boundedPage(list, page) : deepPage(list, page),
    total: createdBetween(list, list.from, list.to),
  };
  const listed = sql<ListedRow>`
    with paged as materialized (${ids}), listed as (
      select summary.* from paged cross join lateral (
        select ${sql.raw(namesOf(summaryColumns))} from orders where orders.id = paged.id limit 1) summary)
    select ${total} as total, (select json_agg(listed ${newestFirst}) from listed) as orders`;
  return oneRow(db, listed);
}

function listOf(actor: Actor, { status, createdFrom, createdTo }: OrderFilters): List {
  const own = ownedBy(actor, 'account_id');
  const matching = status === undefined ? own : sql`${own} and status = ${status}`;
  const tally = status === undefined ? sql.raw(allTallies) : sql.ref(status);
  const count = (from: Date, to: Date) => sql`
    select count(*) from orders where ${matching} and created_at >= ${from} and created_at < ${to} and ${createdNear(from, to)}`;
  return { actor, accountId: accountSeenBy(actor), tally, matching, count, from: createdFrom, to: createdTo };
}

const newestFirst = sql`order by created_at desc, id desc`;

const notBefore = ({ from }: List) => (from === undefined ? sql`true` : sql`created_at >= ${from}`);
const before = ({ to }: List) => (to === undefined ? sql`true` : createdBefore(to, 'created_at', 'id'));

function boundedPage(list: List, { since = list.from, ...page }: PageSince): RawBuilder<unknown> {
  return sql`
    select id from orders where ${list.matching} and ${notBefore(list)} and ${before(list)} and ${createdNear(since, list.to)}
    ${newestFirst} offset ${offsetOf(page)} limit ${page.pageSize}`;
}

/**
 * Selects orders by external id, code, reference, metadata, ids or ready times. Undefined if none of these filters is
 * set.
 */
function namedOrders(list: List, filters: NarrowedFilters, page: Page) {
  const { externalId, trackingCode, ids, readyFrom, readyTo, reference, metadata } = filters;
  const naming = [externalId, trackingCode, ids, readyFrom, readyTo, reference, metadata];
  if (naming.every((each) => each === undefined)) return undefined;
  const named = sql`from orders where ${filtered(list.actor, filters)}`;
  return {
    ids: sql`select id ${named} ${newestFirst} offset ${offsetOf(page)} limit ${page.pageSize}`,
    total: sql`(select count(*) ${named})`,
  };
}

/** SQL condition on `orders` for the filters and the actor. */
export function filtered(actor: Actor, filters: NarrowedFilters): RawBuilder<SqlBool> {
  const list = listOf(actor, filters);
  const { externalId, trackingCode, ids, readyFrom, readyTo, reference, metadata } = filters;
  const ofPackage = (code: string) =>
    sql`id = (select order_id from packages where loggi_key = (${keyOfCode('tracking_code', code)}))`;
  return sql<SqlBool>`
    ${list.matching} and ${notBefore(list)} and ${before(list)}
    and ${readyBetween(readyFrom, readyTo)}
    and ${ids === undefined ? sql`true` : sql`id = any(${ids}::uuid[]) and ${inPartitionsOf('id', ids)}`}
    and ${trackingCode === undefined ? sql`true` : ofPackage(trackingCode)}
    and ${externalId === undefined ? sql`true` : sql`id = any(array(${ordersOfExternalId(actor, externalId)}))`}
    and ${reference === undefined ? sql`true` : ofReference(actor, reference)}
    and ${metadata === undefined ? sql`true` : hasMetadata(actor, metadata)}`;
}

/** The array makes the planner look the ids up. With a join it would read all orders. */
const ofReference = (actor: Actor, reference: string) => sql`id = any(array(
  select distinct p.order_id from packages p where p.reference = ${reference} and ${ownedBy(actor, 'p.account_id')}))`;

/** The index has hashes of account, key and value (migration 0046). */
function hasMetadata(actor: Actor, metadata: Metadata) {
  const accountId = accountSeenBy(actor);
  if (accountId === undefined) throw invalidField('metadata', 'not_allowed', 'is for lists of one account');
  const wanted = sql`${JSON.stringify(metadata)}::jsonb`;
  return sql`
    metadata is not null and metadata @> ${wanted}
    and order_metadata_terms(account_id, metadata) @> order_metadata_terms(${accountId}::uuid, ${wanted})`;
}

/** Days from an order's creation to its latest ready time. The earliest one is minutes before the creation. */
const READY_DAYS = 31;

/** Limits the query to the partitions, and to the index, of orders with a ready time. */
function readyBetween(from: Date | undefined, to: Date | undefined): RawBuilder<SqlBool> {
  if (!from && !to) return sql<SqlBool>`true`;
  const createdFrom = from && new Date(from.getTime() - READY_DAYS * DAY_MS);
  return sql<SqlBool>`
    ready_at is not null and ready_at >= ${from ?? '-infinity'} and ready_at < ${to ?? 'infinity'}
    and ${createdNear(createdFrom, to)}`;
}

/**
 * Reads the tallies, newest first, down to the hour in which the page starts. Reads the index from the end of that
 * hour.
 */
function deepPage(list: List, page: Page): RawBuilder<unknown> {
  const later = list.to === undefined ? sql`0` : createdSince(list, list.to);
  const inWide = sql`starts_at >= (select starts_at from wide) and starts_at < (select starts_at + ${lengthOf(spans.wide)} from wide)`;
  return sql`
    with skipped as materialized (select ${offsetOf(page)} + ${later} as orders),
    wide as materialized (${spanAt(list, spans.wide, sql`true`, sql`(select orders from skipped)`)}),
    narrow as materialized (${spanAt(list, spans.narrow, inWide, sql`(select rest from wide)`)})
    select id from orders
    where ${list.matching} and ${notBefore(list)} and created_at < (select starts_at + ${lengthOf(spans.narrow)} from narrow)
    ${newestFirst} offset (select rest from narrow) limit ${page.pageSize}`;
}

const lengthOf = (hours: number) => sql`make_interval(hours => ${sql.lit(hours)})`;

function spanAt(list: List, hours: number, within: RawBuilder<unknown>, skipped: RawBuilder<unknown>) {
  const orders = sql`sum(${list.tally})`;
  return sql`
    select starts_at, ${skipped} - (upto - orders) as rest
    from (
      select starts_at, ${orders} as orders, sum(${orders}) over (order by starts_at desc) as upto
      from order_tallies where ${talliesOf(list, hours)} and ${within}
      group by starts_at) span
    where upto > ${skipped}
    order by starts_at desc limit 1`;
}
