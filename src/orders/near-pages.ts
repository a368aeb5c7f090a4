import { sql } from 'kysely';
import { NIL } from 'uuid';
import { namesOf } from '../db/columns.js';
import type { Db } from '../db/connect.js';
import { statementSince } from '../db/near.js';
import { shareRead } from '../db/share-read.js';
import { type OrderStatus, orderStatuses } from '../db/tables/database.js';
import { type OrderSummary, summaryColumns } from './order.js';

interface NearPage {
  accountId: string | undefined;
  status: OrderStatus | undefined;
  offset: number;
  size: number;
  since: Date | undefined;
}

/** A page and its total. The orders are JSON, because the driver would parse every column of a row. Null if empty. */
export interface ListedRow {
  total: string;
  orders: OrderSummary[] | null;
}

const MAX_TOGETHER = 8;

const NEWEST_FIRST = 'order by created_at desc, id desc';
export const allTallies = orderStatuses.join(' + ');
const tallyOfStatus = `case wanted.status ${orderStatuses.map((each) => `when '${each}' then ${each}`).join(' ')} end`;

const earlier = (a: Date | undefined, b: Date | undefined) => (a && b ? (a < b ? a : b) : undefined);

/** Statements for four kinds of list. PostgreSQL uses an index only for comparisons that the text always has. */
const readers = {
  own: { any: readerOf(true, false), status: readerOf(true, true) },
  whole: { any: readerOf(false, false), status: readerOf(false, true) },
};

export function readNearPage(db: Db, page: NearPage): Promise<ListedRow> {
  const { any, status } = page.accountId === undefined ? readers.whole : readers.own;
  return (page.status === undefined ? any : status)(db, page);
}

function readerOf(isOwn: boolean, hasStatus: boolean) {
  const own = isOwn ? ' and account_id = wanted.account_id' : '';
  const ofStatus = hasStatus ? ' and status = wanted.status' : '';
  const listed = statementSince((firstId) =>
    sql.raw(`
    select
      (select coalesce(sum(${hasStatus ? tallyOfStatus : allTallies}), 0)
        from order_tallies where scope = ${isOwn ? 'wanted.account_id' : `'${NIL}'`} and hours = 336) as total,
      (select json_agg(listed ${NEWEST_FIRST}) from (
        select summary.* from (
          select id from orders where id >= ${firstId}${own}${ofStatus}
          ${NEWEST_FIRST} offset wanted.skipped limit wanted.size) paged
        cross join lateral (
          select ${namesOf(summaryColumns)} from orders where orders.id = paged.id and orders.id >= ${firstId} limit 1) summary) listed) as orders
    from unnest($1::uuid[], $2::text[], $3::integer[], $4::integer[]) with ordinality as wanted (account_id, status, skipped, size, at)
    order by wanted.at`),
  );
  return shareRead<NearPage, ListedRow>(
    async (db, pages) => {
      const values = [
        pages.map(({ accountId }) => accountId ?? null),
        pages.map(({ status }) => status ?? null),
        pages.map(({ offset }) => offset),
        pages.map(({ size }) => size),
      ];
      const since = pages.map((page) => page.since).reduce(earlier);
      return (await db.executeQuery<ListedRow>(listed(since, values))).rows;
    },
    { max: MAX_TOGETHER },
  );
}
