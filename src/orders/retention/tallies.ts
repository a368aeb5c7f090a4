import { type RawBuilder, sql } from 'kysely';
import { NIL } from 'uuid';
import type { Db } from '../../db/connect.js';
import { orderStatuses } from '../../db/tables.js';

const listed = (text: (status: string) => string, separator = ', ') => sql.raw(orderStatuses.map(text).join(separator));

/**
 * Takes the orders of a table from the tallies, as their deletion would. The rows of a span become one, which goes where nothing is left of
 * it; a row that another transaction adds meanwhile stays beside it.
 */
export async function takeFromTallies(trx: Db, orders: RawBuilder<unknown>): Promise<void> {
  await sql`
    with gone as materialized (
      select scope, hours, date_bin(make_interval(hours => hours), created_at, timestamptz '1970-01-01Z') as starts_at,
        ${listed((status) => `count(*) filter (where status = '${status}')::integer as ${status}`)}
      from ${orders}, unnest(array[account_id, ${NIL}::uuid]) scope, unnest(array[1, 336]::smallint[]) hours
      group by 1, 2, 3
    ), removed as (
      delete from order_tallies tally using gone
      where (tally.scope, tally.hours, tally.starts_at) = (gone.scope, gone.hours, gone.starts_at)
      returning tally.*
    ), rest as (
      select scope, hours, starts_at, ${listed((status) => `sum(${status}) as ${status}`)}
      from (
        select scope, hours, starts_at, ${listed((status) => status)} from removed
        union all
        select scope, hours, starts_at, ${listed((status) => `-${status}`)} from gone) changes
      group by scope, hours, starts_at
    )
    insert into order_tallies as tally (scope, hours, starts_at, shard, ${listed((status) => status)})
    select scope, hours, starts_at, 0, ${listed((status) => status)} from rest
    where ${listed((status) => `${status} <> 0`, ' or ')}
    on conflict (scope, hours, starts_at, shard) do update set
      ${listed((status) => `${status} = tally.${status} + excluded.${status}`)}`.execute(trx);
}
