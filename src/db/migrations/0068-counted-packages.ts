import { sql } from 'kysely';
import { NIL } from 'uuid';
import { type ChunkStep, type Step, sqlOf } from './migration.js';

const TODAY = `(now() at time zone 'America/Sao_Paulo')::date`;

/** Columns that follow from a package; its place is that of its current movement, once it left the shipper. */
const COLUMNS = 'loggi_key, account_id, promised_date, status_code, status_since, city, state, missed_on, missed_why';

/** A status of an absent recipient is a missed attempt, whether or not its movement says so. */
const IS_ABSENT = `p.status_code = 18 and (p.attempted_at is null or p.attempted_at < p.status_since)`;
const values = `
  p.loggi_key, p.account_id, p.promised_date, p.status_code, p.status_since, m.city, m.state,
  (case when ${IS_ABSENT} then p.status_since else p.attempted_at end at time zone 'America/Sao_Paulo')::date,
  case when ${IS_ABSENT} then 'absent' else p.attempt_outcome end`;
const HAS_MISSED = 'p.status_code = 18 or coalesce(p.attempt_count, 0) > 0';
const MOVEMENT = `
  left join movements m on p.seq > 1 and m.loggi_key = p.loggi_key and m.id = p.current_movement_id`;

/** Another update of a package, such as a new tracking link, changes nothing that is counted. */
const IS_CHANGED = `
  (p.status_code, p.status_since, p.promised_date, p.current_movement_id, p.attempt_outcome, p.attempted_at)
    is distinct from (former.status_code, former.status_since, former.promised_date,
      former.current_movement_id, former.attempt_outcome, former.attempted_at)`;

const kept = ['status_code', 'city', 'state', 'missed_on', 'missed_why'] as const;
const atDayStart = kept.map(
  (column) => `
    ${column}_before = case when kept.changed_on < excluded.changed_on then kept.${column} else kept.${column}_before end`,
);

/**
 * Narrow rows of the packages under way, and of those that ended since yesterday. A row has the package as it is, and
 * as it was when the day of its last change began. So all are counted within milliseconds, for today and for the end of
 * yesterday. A chore keeps the counts of that end, and adds up ended packages in `day_results`
 * (orders/days/keep-days.ts).
 */
export const up = sqlOf(`
  create table counted_packages (
    loggi_key uuid not null,
    account_id uuid not null,
    promised_date date not null,
    status_code smallint not null,
    status_since timestamptz not null,
    city text,
    state text,
    missed_on date,
    missed_why text,
    has_missed boolean not null,
    changed_on date not null,
    status_code_before smallint,
    city_before text,
    state_before text,
    missed_on_before date,
    missed_why_before text,
    constraint counted_packages_pkey primary key (loggi_key)
  ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.1);
  create table day_results (
    date date not null,
    packages integer not null,
    delivered integer not null,
    on_time integer not null,
    first_attempt integer not null,
    constraint day_results_pkey primary key (date)
  );
  create table day_end_counts (
    date date not null,
    number integer not null,
    packages integer not null,
    status_code smallint not null,
    late_days smallint,
    is_late boolean,
    missed_why text,
    city text,
    state text,
    account_id uuid,
    constraint day_end_counts_pkey primary key (date, number)
  );
  create function count_packages_on_insert() returns trigger language plpgsql as $function$
    begin
      insert into counted_packages (
        loggi_key, account_id, promised_date, status_code, status_since, has_missed, changed_on)
      select loggi_key, account_id, promised_date, status_code, status_since, false, ${TODAY} from added
      on conflict do nothing;
      return null;
    end $function$;
  create function count_packages_on_update() returns trigger language plpgsql as $function$
    declare
      keys uuid[];
    begin
      keys := array(select p.loggi_key from added p join removed former using (loggi_key) where ${IS_CHANGED} order by 1);
      if cardinality(keys) = 0 then return null; end if;
      -- Bounds in the text keep the plan to the months of these packages; without them it covers all partitions.
      execute format($statement$
        with changed as (
          select p.*, former.status_code as former_code, former.promised_date as former_date,
            former.status_since as former_since, former.attempt_count as former_attempts
          from added p join removed former using (loggi_key)
          where ${IS_CHANGED}
        ), taken_back as (
          update day_results set packages = packages - 1, delivered = delivered - (former_code = 5)::integer,
            on_time = on_time - (former_code = 5 and (former_since at time zone 'America/Sao_Paulo')::date <= former_date)::integer,
            first_attempt = first_attempt - (former_code = 5 and coalesce(former_attempts, 0) = 0)::integer
          from changed join package_statuses s on s.code = former_code and s.final and s.stage <> 'cancelled'
          where date = former_date and day_results.packages > 0
            and not exists (select from counted_packages kept where kept.loggi_key = changed.loggi_key)
        )
        insert into counted_packages as kept (${COLUMNS}, has_missed, changed_on, status_code_before)
        select ${values}, ${HAS_MISSED}, ${TODAY}, former_code
        from changed p ${MOVEMENT} and m.loggi_key >= %L and m.loggi_key <= %L
        order by p.loggi_key
        on conflict (loggi_key) do update set ${atDayStart},
          promised_date = excluded.promised_date, status_code = excluded.status_code,
          status_since = excluded.status_since, city = excluded.city, state = excluded.state,
          missed_on = excluded.missed_on, missed_why = excluded.missed_why,
          has_missed = kept.has_missed or excluded.has_missed, changed_on = excluded.changed_on
        $statement$, keys[1], keys[cardinality(keys)]);
      return null;
    end $function$;
  create trigger count_packages_on_insert after insert on packages referencing new table as added
    for each statement execute function count_packages_on_insert();
  create trigger count_packages_on_update after update on packages referencing old table as removed new table as added
    for each statement execute function count_packages_on_update();
`);

const ORDERS_AT_ONCE = 5_000;

/** Packages of open orders, and of those of the last 45 days: their days are in the figures. */
const fill: ChunkStep = {
  name: 'packages that are counted',
  chunk: async (db, after) => {
    const { rows } = await sql<{ last: string | null; rows: number }>`
      with next as materialized (
        select id, created_at, status from orders where id > ${after ?? NIL} order by id limit ${ORDERS_AT_ONCE}
      ), filled as (
        insert into counted_packages (${sql.raw(COLUMNS)}, has_missed, changed_on, status_code_before)
        select ${sql.raw(values)}, ${sql.raw(HAS_MISSED)}, (p.status_since at time zone 'America/Sao_Paulo')::date, null
        from next join packages p on p.order_id = next.id ${sql.raw(MOVEMENT)}
        where next.status not in ('completed', 'cancelled') or next.created_at > now() - interval '45 days'
        on conflict do nothing
        returning 1
      )
      select (select id from next order by id desc limit 1) as last, (select count(*)::integer from filled) as rows`.execute(
      db,
    );
    const [{ last, rows: count } = { last: null, rows: 0 }] = rows;
    return last === null ? undefined : { after: last, rows: count };
  },
};

export const steps: readonly Step[] = [fill];
