import { type Kysely, sql } from 'kysely';

/**
 * The numbers of orders, so that lists need not count: per account and for all (the nil UUID), in spans of 14 days and
 * of one hour. Rows of one span, one per shard, are summed; one of them may be negative.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table order_tallies (
      scope uuid not null,
      hours smallint not null check (hours in (1, 336)),
      starts_at timestamptz(0) not null,
      shard smallint not null,
      created integer not null,
      processing integer not null,
      out_for_delivery integer not null,
      completed integer not null,
      cancelled integer not null,
      primary key (scope, hours, starts_at, shard)
    ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)`.execute(db);

  const added = 'select account_id, created_at, status, 1 as change from added';
  const removed = 'select account_id, created_at, status, -1 as change from removed';
  await keep(db, 'insert', 'new table as added', added);
  await keep(db, 'update', 'old table as removed new table as added', `${added} union all ${removed}`);
  await keep(db, 'delete', 'old table as removed', removed);
  // The triggers' locks keep writers out until this is committed.
  await sql`${tally('select account_id, created_at, status, 1 as change from orders')}`.execute(db);

  await sql`create index orders_by_status on orders (status, created_at desc, id desc)`.execute(db);
}

/** A trigger keeps the tallies exact in the transaction that writes orders, whoever writes them. */
async function keep(db: Kysely<unknown>, event: string, tables: string, changes: string): Promise<void> {
  const name = sql.raw(`tally_orders_on_${event}`);
  await sql`
    create function ${name}() returns trigger language plpgsql as $$
    begin
      ${tally(changes)};
      return null;
    end $$`.execute(db);
  await sql`
    create trigger ${name} after ${sql.raw(event)} on orders referencing ${sql.raw(tables)}
    for each statement execute function ${name}()`.execute(db);
}

/** Adds to any row of each span that nobody holds, else to a new one: so nobody waits for a tally, or deadlocks. */
function tally(changes: string) {
  const statuses = ['created', 'processing', 'out_for_delivery', 'completed', 'cancelled'];
  const listed = (text: (status: string) => string, separator = ', ') => sql.raw(statuses.map(text).join(separator));
  return sql`
    insert into order_tallies as tally (scope, hours, starts_at, shard, ${listed((status) => status)})
    select
      scope, hours, starts_at, coalesce(idle.shard, (random() * 32767)::smallint),
      ${listed((status) => `change.${status}`)}
    from (
      select
        scope, hours, date_bin(make_interval(hours => hours), created_at, timestamptz '1970-01-01Z') as starts_at,
        ${listed((status) => `coalesce(sum(change) filter (where status = '${status}'), 0) as ${status}`)}
      from (${sql.raw(changes)}) changes,
        unnest(array[account_id, '00000000-0000-0000-0000-000000000000'::uuid]) scope,
        unnest(array[1, 336]) hours
      group by scope, hours, 3
    ) change
    left join lateral (
      select shard from order_tallies found
      where (found.scope, found.hours, found.starts_at) = (change.scope, change.hours, change.starts_at)
      limit 1 for no key update skip locked) idle on true
    where ${listed((status) => `change.${status} <> 0`, ' or ')}
    on conflict (scope, hours, starts_at, shard) do update set
      ${listed((status) => `${status} = tally.${status} + excluded.${status}`)}`;
}
