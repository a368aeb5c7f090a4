import { sql } from 'kysely';
import { NIL } from 'uuid';
import type { Db } from '../../db/connect.js';
import { DELIVERED } from '../../packages/movement.js';
import { allTallies } from '../near-pages.js';
import { type CountedDay, dayOfTime, startOf } from './cells.js';

/** The results of a past day: the orders created on it, and the packages promised for it. */
export interface DayResult {
  date: string;
  orders: number;
  packages: number;
  delivered: number;
  onTime: number;
  firstAttempt: number;
}

const PAST_DAYS = 14;

const isDelivered = sql`kept.status_code = ${sql.lit(DELIVERED)}`;

/** SQL that counts how packages ended. They are rows of `counted_packages`, with the alias `kept`. */
export const resultCounts = sql`
  count(*)::integer as packages, (count(*) filter (where ${isDelivered}))::integer as delivered,
  (count(*) filter (where ${isDelivered} and ${dayOfTime(sql`kept.status_since`)} <= kept.promised_date))::integer as on_time,
  (count(*) filter (where ${isDelivered} and not kept.has_missed))::integer as first_attempt`;

/** Results of the days before today, from packages that are still counted singly and from those that were added up. */
export async function readResults(db: Db, { today, cancelledCodes }: CountedDay): Promise<DayResult[]> {
  const first = sql`(${today} - ${sql.lit(PAST_DAYS)})`;
  const { rows } = await sql<DayResult>`
    with recent as materialized (
      select promised_date as date, ${resultCounts} from counted_packages kept
      where promised_date >= ${first} and promised_date < ${today}
        and status_code <> all(${cancelledCodes})
      group by promised_date
      union all
      select * from day_results where date >= ${first} and date < ${today}
    )
    select day.date::date::text as date, coalesce(tally.orders, 0)::integer as orders,
      coalesce(result.packages, 0)::integer as packages, coalesce(result.delivered, 0)::integer as delivered,
      coalesce(result.on_time, 0)::integer as "onTime", coalesce(result.first_attempt, 0)::integer as "firstAttempt"
    from generate_series(${first}, ${today} - 1, interval '1 day') day (date)
    cross join lateral (
      select sum(${sql.raw(allTallies)}) as orders from order_tallies
      where scope = ${NIL} and hours = 1 and starts_at >= ${startOf(sql`day.date`)}
        and starts_at < ${startOf(sql`(day.date + interval '1 day')`)}) tally
    left join lateral (
      select sum(packages) as packages, sum(delivered) as delivered, sum(on_time) as on_time,
        sum(first_attempt) as first_attempt
      from recent where recent.date = day.date::date) result on true
    order by day.date`.execute(db);
  return rows;
}
