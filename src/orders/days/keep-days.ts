import { sql } from 'kysely';
import type { Db } from '../../db/connect.js';
import { type CountedDay, cellsOfYesterday, readDay, startOf } from './cells.js';
import { resultCounts } from './results.js';

const CHUNK = 5_000;

/**
 * Stores the counts of the end of yesterday, and adds up the packages that ended before. Several processes may run it.
 */
export async function keepDays(db: Db): Promise<number> {
  const day = await readDay(db);
  const { yesterday } = day;
  await sql`
    insert into day_end_counts (
      date, number, packages, status_code, late_days, is_late, missed_why, city, state, account_id)
    select ${yesterday}, row_number() over (), cell.* from (${cellsOfYesterday(day)}) cell
    where not exists (select from day_end_counts where date = ${yesterday})
    on conflict do nothing`.execute(db);
  await sql`delete from day_end_counts where date < ${yesterday}`.execute(db);
  // Retention drops partitions of old orders, in whatever status their packages are.
  await sql`
    delete from counted_packages kept where status_since < ${startOf(yesterday)} - interval '60 days'
      and not exists (select from packages p where p.loggi_key = kept.loggi_key)`.execute(db);
  let ended = 0;
  for (let count = CHUNK; count === CHUNK; ended += count) count = await addUp(db, day);
  return ended;
}

/** Adds packages that ended before yesterday to the results of their promised days. */
async function addUp(db: Db, { yesterday, finalCodes, cancelledCodes }: CountedDay): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with gone as (
      delete from counted_packages where loggi_key = any(array(
        select loggi_key from counted_packages
        where status_code = any(${finalCodes}) and status_since < ${startOf(yesterday)} and changed_on < ${yesterday}
        limit ${CHUNK} for update skip locked))
      returning *
    ), added as (
      insert into day_results as results (date, packages, delivered, on_time, first_attempt)
      select promised_date, ${resultCounts} from gone kept
      where status_code <> all(${cancelledCodes})
      group by promised_date order by promised_date
      on conflict (date) do update set packages = results.packages + excluded.packages,
        delivered = results.delivered + excluded.delivered, on_time = results.on_time + excluded.on_time,
        first_attempt = results.first_attempt + excluded.first_attempt
    )
    select count(*)::integer as count from gone`.execute(db);
  return rows[0]?.count ?? 0;
}
