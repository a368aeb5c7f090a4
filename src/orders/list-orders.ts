import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { type Listed, offsetOf, type Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import type { OrderStatus, Orders } from '../db/tables.js';
import type { OrderSummary } from './order.js';
import { createdSince, lengthOf, spanAt, spans, type Tallied } from './tallies.js';

export interface OrderFilters {
  status?: OrderStatus;
  /** Created then or later. */
  createdFrom?: Date;
  /** Created before. */
  createdTo?: Date;
}

interface List extends Tallied {
  from: Date | undefined;
  to: Date | undefined;
}

/** Up to here, skipping orders in the index costs less than finding out by tallies where the page starts. */
const SHALLOW = 1_000;

/**
 * The actor's orders, or all for an operator, newest first. The total is a sum of tallies, and tallies tell the hour in which a
 * deep page starts: counting an account's million orders, or skipping half of them in the index, would take a hundred times
 * as long as reading a page. In one statement, so that page and total are of one moment.
 */
export async function listOrders(
  db: Db,
  actor: Actor,
  filters: OrderFilters,
  page: Page,
): Promise<Listed<OrderSummary>> {
  const list = listOf(actor, filters);
  const ids = offsetOf(page) <= SHALLOW ? nearPage(list, page) : deepPage(list, page);
  const { rows } = await sql<ListedRow>`
    with paged as (${ids}), listed as (
      select ${summaryColumns} from orders o where o.id = any(array(select id from paged)))
    select counted.total, listed.*
    from (select ${totalOf(list)} as total) counted left join listed on true
    order by created_at desc, id desc`.execute(db);
  return { rows: rows.flatMap((row) => (row.id === null ? [] : [toSummary(row)])), total: Number(rows[0]?.total) };
}

function listOf(actor: Actor, { status, createdFrom, createdTo }: OrderFilters): List {
  const owned = actor.role === 'operator' ? sql`true` : sql`account_id = ${actor.accountId}`;
  const matching = status === undefined ? owned : sql`${owned} and status = ${status}`;
  return { actor, status, matching, from: createdFrom, to: createdTo };
}

function totalOf(list: List): RawBuilder<unknown> {
  const since = createdSince(list, list.from);
  if (list.to === undefined) return since;
  return sql`greatest(${since} - ${createdSince(list, list.to)}, 0)`;
}

const newestFirst = sql`order by created_at desc, id desc`;

const notBefore = ({ from }: List) => (from === undefined ? sql`true` : sql`created_at >= ${from}`);

function nearPage(list: List, page: Page): RawBuilder<unknown> {
  const before = list.to === undefined ? sql`true` : sql`created_at < ${list.to}`;
  return sql`
    select id from orders where ${list.matching} and ${notBefore(list)} and ${before}
    ${newestFirst} offset ${offsetOf(page)} limit ${page.pageSize}`;
}

/** Walks the tallies from the newest to the hour in which the page starts, and the index from the end of that hour. */
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

const summaryColumnNames = [
  'id',
  'account_id',
  'external_id',
  'status',
  'payment_method_id',
  'total_centavos',
  'pickup_count',
  'package_count',
  'created_at',
  'updated_at',
] as const;

const summaryColumns = sql.join(summaryColumnNames.map((name) => sql.ref(`o.${name}`)));

type SummaryRow = Pick<Selectable<Orders>, (typeof summaryColumnNames)[number]>;

/** One of the page, or the total alone when there is none on it. */
type ListedRow = { total: string } & (SummaryRow | { [K in keyof SummaryRow]: null });

function toSummary(row: SummaryRow): OrderSummary {
  return {
    id: row.id,
    accountId: row.account_id,
    externalId: row.external_id,
    status: row.status,
    paymentMethodId: row.payment_method_id,
    totalCentavos: Number(row.total_centavos),
    pickupCount: row.pickup_count,
    packageCount: row.package_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
