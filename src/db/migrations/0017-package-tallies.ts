import { setTimeout as sleep } from 'node:timers/promises';
import { type QueryExecutorProvider, sql } from 'kysely';
import type { Step } from './migration.js';

/**
 * Counts packages in the tallies too. Triggers count those of orders created from now on, the steps those of before;
 * nothing deletes orders meanwhile, as only processes that this schema serves do.
 */
export async function up(db: QueryExecutorProvider): Promise<void> {
  // Until this is committed nobody writes orders, so that no trigger runs that is only half replaced.
  await sql`lock table orders in share row exclusive mode`.execute(db);
  await sql`alter table order_tallies add column packages integer not null default 0`.execute(db);
  const { rows } = await sql<{ boundary: string }>`
    select date_trunc('milliseconds', clock_timestamp() + interval '1 millisecond')::text as boundary
    where exists (select from accounts)`.execute(db);
  await replaceTriggers(db, rows[0]?.boundary);
}

export const steps: readonly Step[] = [
  { name: 'transactions that began before', run: untilOlderHaveEnded },
  { name: 'packages of a day', chunk: tallyDay },
  { name: 'packages of all orders from now on', run: (db) => replaceTriggers(db) },
];

const EPOCH = "timestamptz '1970-01-01Z'";
const statuses = ['created', 'processing', 'out_for_delivery', 'completed', 'cancelled'];
const columns = [...statuses, 'packages'];

/** With a boundary, packages of orders that are inserted with an earlier time are left to the steps. */
async function replaceTriggers(db: QueryExecutorProvider, boundary?: string): Promise<void> {
  const changeOf = (sign: number) => `account_id, created_at, status, package_count, ${sign} as change`;
  const added = `select ${changeOf(1)} from added`;
  const removed = `select ${changeOf(-1)} from removed`;
  const fromBoundary = boundary === undefined ? '' : ` filter (where created_at >= '${boundary}')`;
  await replaceTrigger(db, 'insert', tally(added, fromBoundary));
  await replaceTrigger(db, 'update', tally(`${added} union all ${removed}`));
  await replaceTrigger(db, 'delete', tally(removed));
}

async function replaceTrigger(db: QueryExecutorProvider, event: string, statement: string): Promise<void> {
  await sql`
    create or replace function ${sql.raw(`tally_orders_on_${event}`)}() returns trigger language plpgsql as $$
    begin
      ${sql.raw(statement)};
      return null;
    end $$`.execute(db);
}

const listed = (text: (column: string) => string, separator = ', ') => columns.map(text).join(separator);

/** Adds the changes to one row of each span as 0004-order-tallies does. */
const tally = (changes: string, which = ''): string => `
  insert into order_tallies as tally (scope, hours, starts_at, shard, ${listed((column) => column)})
  select scope, hours, starts_at, coalesce(idle.shard, (random() * 32767)::smallint), ${listed((column) => `change.${column}`)}
  from (
    select
      scope, hours, date_bin(make_interval(hours => hours), created_at, ${EPOCH}) as starts_at,
      ${statuses.map((status) => `coalesce(sum(change) filter (where status = '${status}'), 0) as ${status}`).join(', ')},
      coalesce(sum(change * package_count)${which}, 0) as packages
    from (${changes}) changes,
      unnest(array[account_id, '00000000-0000-0000-0000-000000000000'::uuid]) scope,
      unnest(array[1, 336]) hours
    group by scope, hours, 3
  ) change
  left join lateral (
    select shard from order_tallies found
    where (found.scope, found.hours, found.starts_at) = (change.scope, change.hours, change.starts_at)
    limit 1 for no key update skip locked) idle on true
  where ${listed((column) => `change.${column} <> 0`, ' or ')}
  on conflict (scope, hours, starts_at, shard) do update set
    ${listed((column) => `${column} = tally.${column} + excluded.${column}`)}`;

/** Undefined where the database was new, or all are counted. */
async function boundaryOf(db: QueryExecutorProvider): Promise<string | undefined> {
  const { rows } = await sql<{ boundary: string | null }>`
    select substring(prosrc from 'created_at >= ''([^'']+)''') as boundary
    from pg_proc where oid = 'tally_orders_on_insert()'::regprocedure`.execute(db);
  return rows[0]?.boundary ?? undefined;
}

/** Transactions of the service are shorter; a longer one, such as a dump, writes no orders. */
const PATIENCE_MS = 60_000;

/** An order has its transaction's begin as its time. Transactions of migrations, which keep others out, write none. */
async function untilOlderHaveEnded(db: QueryExecutorProvider): Promise<void> {
  const boundary = await boundaryOf(db);
  if (boundary === undefined) return;
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await sleep(50)) {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and xact_start < ${boundary}
        and application_name <> current_setting('application_name')`.execute(db);
    if (rows.length === 0) return;
  }
}

/** The first day with orders from `after` on. */
async function tallyDay(db: QueryExecutorProvider, after = '-infinity') {
  const boundary = await boundaryOf(db);
  if (boundary === undefined) return undefined;
  const { rows: days } = await sql<{ day: string; next: string }>`
    select day::text, (day + interval '24 hours')::text as next
    from (
      select date_bin(interval '24 hours', created_at, ${sql.raw(EPOCH)}) as day from orders
      where created_at >= ${after} and created_at < ${boundary} order by created_at limit 1) found`.execute(db);
  const [found] = days;
  if (!found) return undefined;
  const { rows } = await sql<{ orders: number }>`
    with counted as (
      select
        scope, hours, date_bin(make_interval(hours => hours), created_at, ${sql.raw(EPOCH)}) as starts_at,
        sum(package_count) as packages, count(*) as orders
      from orders,
        unnest(array[account_id, '00000000-0000-0000-0000-000000000000'::uuid]) scope,
        unnest(array[1, 336]) hours
      where created_at >= ${found.day} and created_at < least(${found.next}::timestamptz, ${boundary}::timestamptz)
      group by scope, hours, 3
    ), added as (
      update order_tallies tally set packages = tally.packages + counted.packages
      from counted
      where (tally.scope, tally.hours, tally.starts_at) = (counted.scope, counted.hours, counted.starts_at)
        and tally.shard = (
          select min(shard) from order_tallies found
          where (found.scope, found.hours, found.starts_at) = (counted.scope, counted.hours, counted.starts_at))
    )
    select sum(orders)::float8 as orders from counted where hours = 1`.execute(db);
  return { after: found.next, rows: (rows[0]?.orders ?? 0) / 2 };
}
