import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.js';
import { oneRow } from '../../db/one-row.js';
import type { DayEndCounts } from '../../db/tables/days.js';

/** A count of packages with the same values: of status and lateness, of a place, or of an account. */
export type CountCell = Omit<DayEndCounts, 'date' | 'number'>;

/** Most days late that are counted apart. The last count includes all packages that are later. */
const MAX_LATE_DAYS = 30;

const zone = sql`'America/Sao_Paulo'`;

export const dayOfTime = (time: RawBuilder<unknown>): RawBuilder<unknown> => sql`(${time} at time zone ${zone})::date`;
export const startOf = (day: RawBuilder<unknown>): RawBuilder<unknown> => sql`${day}::timestamp at time zone ${zone}`;

/**
 * The day by the clock of the database, because its triggers use that, too. A value is faster than an expression, which
 * every row would compute.
 */
export interface CountedDay {
  today: RawBuilder<unknown>;
  yesterday: RawBuilder<unknown>;
  /** The final statuses, and those of them that results leave out. */
  finalCodes: RawBuilder<unknown>;
  cancelledCodes: RawBuilder<unknown>;
}

export async function readDay(db: Db): Promise<CountedDay> {
  const { today, final, cancelled } = await oneRow(
    db,
    sql<{ today: string; final: number[]; cancelled: number[] }>`
      select ${dayOfTime(sql`now()`)}::text as today, array(select code from package_statuses where final) as final,
        array(select code from package_statuses where stage = 'cancelled') as cancelled`,
  );
  return {
    today: sql`${today}::date`,
    yesterday: sql`(${today}::date - 1)`,
    finalCodes: sql`${final}::smallint[]`,
    cancelledCodes: sql`${cancelled}::smallint[]`,
  };
}

interface Moment {
  day: RawBuilder<unknown>;
  /** SQL columns of a package: its present values, or the values before the day of its last change. */
  columns: RawBuilder<unknown>;
}

const now = ({ today }: CountedDay): Moment => ({
  day: today,
  columns: sql`kept.status_code, kept.city, kept.state, case when kept.missed_on = ${today} then kept.missed_why end as missed_why`,
});

function endOfYesterday({ today, yesterday }: CountedDay): Moment {
  const isUnchanged = sql`kept.changed_on < ${today}`;
  const before = (column: 'status_code' | 'city' | 'state') =>
    sql`case when ${isUnchanged} then kept.${sql.ref(column)} else kept.${sql.ref(`${column}_before`)} end as ${sql.ref(column)}`;
  return {
    day: yesterday,
    columns: sql`${before('status_code')}, ${before('city')}, ${before('state')},
      case when kept.missed_on = ${yesterday} then kept.missed_why
        when not ${isUnchanged} and kept.missed_on_before = ${yesterday} then kept.missed_why_before end as missed_why`,
  };
}

/** Selects the cells of packages that were under way at that moment, or ended on its day. One pass over all rows. */
const cellsAt = ({ day, columns }: Moment, { finalCodes }: CountedDay): RawBuilder<CountCell> => sql<CountCell>`
  with package as (
    select kept.account_id, kept.status_since,
      least(greatest(${day} - kept.promised_date, -1), ${sql.lit(MAX_LATE_DAYS)})::smallint as late_days, ${columns}
    from counted_packages kept
  )
  select count(*)::integer as packages, status_code, late_days, late_days > 0 as is_late, missed_why, city, state,
    account_id
  from package
  where status_code <> all(${finalCodes}) or status_code is not null and status_since >= ${startOf(day)}
  group by grouping sets (
    (status_code, late_days, missed_why), (status_code, late_days > 0, city, state),
    (status_code, late_days > 0, account_id))`;

export const cellsOfYesterday = (day: CountedDay): RawBuilder<CountCell> => cellsAt(endOfYesterday(day), day);

/** Cells of now, and of the end of yesterday. A chore stores the latter (keep-days.ts); otherwise they are computed. */
export async function readCells(db: Db, day: CountedDay): Promise<{ ofToday: CountCell[]; ofYesterday: CountCell[] }> {
  const { rows: ofToday } = await cellsAt(now(day), day).execute(db);
  const { rows: kept } = await sql<CountCell>`
    select packages, status_code, late_days, is_late, missed_why, city, state, account_id
    from day_end_counts where date = ${day.yesterday}`.execute(db);
  return { ofToday, ofYesterday: kept.length > 0 ? kept : (await cellsOfYesterday(day).execute(db)).rows };
}
