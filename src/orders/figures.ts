import { sql } from 'kysely';
import { NIL } from 'uuid';
import { DAY_MS } from '../base/clock.js';
import { firstIdAt } from '../base/ids.js';
import type { Db } from '../db/connect.js';
import { inPartitionsOf } from '../db/near.js';
import type { DeliveryOutcome } from '../db/tables/movements.js';
import { isLate, isStuckSince, isUnderWay } from '../packages/under-way.js';
import { allTallies } from './near-pages.js';

export interface Figures {
  at: Date;
  ordersCounted: number;
  late: number;
  stuck: number;
  statuses: { code: number; packages: number }[];
  attempts: { outcome: DeliveryOutcome; packages: number }[];
  days: DayFigures[];
}

/** Results of the newest packages of a day, at most 500. */
export interface DayFigures {
  date: string;
  orders: number;
  /** Packages that were delivered, or whose promised date has passed. */
  due: number;
  onTime: number;
  delivered: number;
  firstAttempt: number;
  deliveryHours: number | null;
}

const MAX_ORDERS = 5_000;
const DAYS = 14;
const MAX_OF_A_DAY = 500;

const DELIVERED = 5;
const ABSENT = 18;

/** Lists the oldest unfinished orders. An index of packages by status would cost a write at each movement. */
export async function unfinishedOrders(db: Db, accountId?: string): Promise<string[]> {
  const own = accountId === undefined ? sql`true` : sql`account_id = ${accountId}`;
  const oldest = (['created', 'processing', 'out_for_delivery'] as const).map(
    (status) => sql`(
      select id, created_at from orders where status = ${sql.lit(status)} and ${own}
      order by created_at, id limit ${MAX_ORDERS})`,
  );
  const { rows } = await sql<{ id: string }>`
    select id from (${sql.join(oldest, sql` union all `)}) unfinished
    order by created_at, id limit ${MAX_ORDERS}`.execute(db);
  return rows.map(({ id }) => id);
}

export async function readFigures(db: Db, now: Date, stuckDays: number): Promise<Figures> {
  const orderIds = await unfinishedOrders(db);
  const stuckSince = new Date(now.getTime() - stuckDays * DAY_MS);
  const counts = await countUnderWay(db, orderIds, stuckSince);
  const sum = (of: (count: UnderWayCount) => number) => counts.reduce((total, count) => total + of(count), 0);
  return {
    at: now,
    ordersCounted: orderIds.length,
    late: sum(({ late }) => late),
    stuck: sum(({ stuck }) => stuck),
    statuses: counts.map(({ code, packages }) => ({ code, packages })),
    attempts: await countAttempts(db, orderIds),
    days: await readDays(db, now),
  };
}

interface UnderWayCount {
  code: number;
  packages: number;
  late: number;
  stuck: number;
}

async function countUnderWay(db: Db, orderIds: readonly string[], stuckSince: Date): Promise<UnderWayCount[]> {
  const { rows } = await sql<UnderWayCount>`
    select p.status_code as code, count(*)::integer as packages, (count(*) filter (where ${isLate}))::integer as late,
      (count(*) filter (where ${isStuckSince(stuckSince, inPartitionsOf('o.id', orderIds))}))::integer as stuck
    from packages p where ${isUnderWay(orderIds)}
    group by p.status_code order by p.status_code`.execute(db);
  return rows;
}

async function countAttempts(db: Db, orderIds: readonly string[]): Promise<Figures['attempts']> {
  const { rows } = await sql<Figures['attempts'][number]>`
    select p.attempt_outcome as outcome, count(*)::integer as packages
    from packages p where ${isUnderWay(orderIds)} and p.attempt_outcome is not null
    group by p.attempt_outcome order by p.attempt_outcome`.execute(db);
  return rows;
}

const zone = sql`'America/Sao_Paulo'`;

/**
 * Reads the days. Tallies count the orders; the other figures come from packages, found by the index of their creation.
 */
async function readDays(db: Db, now: Date): Promise<DayFigures[]> {
  const since = firstIdAt(now.getTime() - (DAYS + 1) * DAY_MS);
  const { rows } = await sql<DayFigures>`
    select day.date::text as date, coalesce(tally.orders, 0)::integer as orders,
      due::integer as due, on_time::integer as "onTime", delivered::integer as delivered,
      first_attempt::integer as "firstAttempt", round(hours::numeric, 1)::double precision as "deliveryHours"
    from (
      select date::date as date, date::timestamp at time zone ${zone} as starts_at,
        (date + interval '1 day')::timestamp at time zone ${zone} as ends_at
      from generate_series(
        (${now}::timestamptz at time zone ${zone})::date - ${DAYS - 1}::integer, (${now}::timestamptz at time zone ${zone})::date, interval '1 day') date
    ) day
    cross join lateral (
      select sum(${sql.raw(allTallies)}) as orders from order_tallies
      where scope = ${NIL} and hours = 1 and starts_at >= day.starts_at and starts_at < day.ends_at) tally
    cross join lateral (
      select count(*) filter (where is_delivered or is_late) as due, count(*) filter (where is_delivered and is_on_time) as on_time,
        count(*) filter (where is_delivered) as delivered, count(*) filter (where is_delivered and not was_absent) as first_attempt,
        percentile_cont(0.5) within group (order by hours) filter (where is_delivered) as hours
      from (
        select p.status_code = ${sql.lit(DELIVERED)} as is_delivered, ${isLate} as is_late,
          (p.status_since at time zone ${zone})::date <= p.promised_date as is_on_time,
          extract(epoch from p.status_since - p.created_at) / 3600 as hours,
          p.status_code = ${sql.lit(DELIVERED)} and exists (
            select from movements m where m.loggi_key = p.loggi_key and m.status_code = ${sql.lit(ABSENT)}) as was_absent
        from packages p
        where p.created_at >= day.starts_at and p.created_at < day.ends_at and p.loggi_key >= ${since}
        order by p.created_at desc, p.loggi_key desc limit ${MAX_OF_A_DAY}) latest
    ) rates
    order by day.date`.execute(db);
  return rows;
}
