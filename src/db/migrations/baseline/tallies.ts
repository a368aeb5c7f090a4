const statuses = ['created', 'processing', 'out_for_delivery', 'completed', 'cancelled'];
const columns = [...statuses, 'packages'];
const listed = (text: (column: string) => string, separator = ', ') => columns.map(text).join(separator);

/** Adds to any row of each span that nobody holds, else to a new one: so nobody waits for a tally, or deadlocks. */
const tally = (changes: string): string => `
  insert into order_tallies as tally (scope, hours, starts_at, shard, ${listed((column) => column)})
  select scope, hours, starts_at, coalesce(idle.shard, (random() * 32767)::smallint), ${listed((column) => `change.${column}`)}
  from (
    select
      scope, hours, date_bin(make_interval(hours => hours), created_at, timestamptz '1970-01-01Z') as starts_at,
      ${statuses.map((status) => `coalesce(sum(change) filter (where status = '${status}'), 0) as ${status}`).join(', ')},
      coalesce(sum(change * package_count), 0) as packages
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

/** A trigger keeps the tallies exact in the transaction that writes orders, whoever writes them. */
const tallying = (event: string, tables: string, changes: string): string => `
  create function tally_orders_on_${event}() returns trigger language plpgsql as $$
    begin
      ${tally(changes)};
      return null;
    end $$;
  create trigger tally_orders_on_${event} after ${event} on orders referencing ${tables}
  for each statement execute function tally_orders_on_${event}();`;

const changeOf = (sign: number) => `account_id, created_at, status, package_count, ${sign} as change`;
const added = `select ${changeOf(1)} from added`;
const removed = `select ${changeOf(-1)} from removed`;

/**
 * Numbers of orders and packages, so that lists need not count: per account and for all (the nil UUID), in spans of 14
 * days and of one hour. Rows of one span, one per shard, are summed; one of them may be negative.
 */
export const tallies = `
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
    packages integer not null default 0,
    primary key (scope, hours, starts_at, shard)
  ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
  ${tallying('insert', 'new table as added', added)}
  ${tallying('update', 'old table as removed new table as added', `${added} union all ${removed}`)}
  ${tallying('delete', 'old table as removed', removed)}
`;
