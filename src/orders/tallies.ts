import { type RawBuilder, sql } from 'kysely';
import { NIL } from 'uuid';
import type { Actor } from '../base/actor.js';
import type { OrderStatus } from '../db/tables.js';

/** Orders of one account or of all, of one status or of any; `matching` finds the same among the orders themselves. */
export interface Tallied {
  actor: Actor;
  status: OrderStatus | undefined;
  matching: RawBuilder<unknown>;
}

/** The spans of the tallies, in hours. Both count from 1970-01-01Z. */
export const spans = { wide: 336, narrow: 1 } as const;

export const lengthOf = (hours: number): RawBuilder<unknown> => sql`make_interval(hours => ${sql.lit(hours)})`;

const HOUR_MS = 3_600_000;

/** The first start of such a span that is not before the time. */
function nextSpan(time: Date, hours: number): Date {
  return new Date(Math.ceil(time.getTime() / (hours * HOUR_MS)) * hours * HOUR_MS);
}

const talliesOf = ({ actor }: Tallied, hours: number): RawBuilder<unknown> =>
  sql`scope = ${actor.role === 'operator' ? NIL : actor.accountId} and hours = ${sql.lit(hours)}`;

/** The number of orders that one row of the tallies tells of. */
const tallyOf = ({ status }: Tallied): RawBuilder<unknown> =>
  status === undefined ? sql`created + processing + out_for_delivery + completed + cancelled` : sql.ref(status);

/** How many were created at the time or later, all when it is left out: the orders of a part of one hour are counted. */
export function createdSince(tallied: Tallied, time: Date | undefined): RawBuilder<unknown> {
  const sum = sql`select coalesce(sum(${tallyOf(tallied)}), 0) from order_tallies`;
  if (time === undefined) return sql`(${sum} where ${talliesOf(tallied, spans.wide)})`;
  const hour = nextSpan(time, spans.narrow);
  const wide = nextSpan(hour, spans.wide);
  return sql`(
    (${sum} where ${talliesOf(tallied, spans.wide)} and starts_at >= ${wide})
    + (${sum} where ${talliesOf(tallied, spans.narrow)} and starts_at >= ${hour} and starts_at < ${wide})
    + (select count(*) from orders where ${tallied.matching} and created_at >= ${time} and created_at < ${hour}))`;
}

/** The span of the order before which so many newer ones are skipped, and the rest of these within it; no row if there is none. */
export function spanAt(
  tallied: Tallied,
  hours: number,
  within: RawBuilder<unknown>,
  skipped: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const orders = sql`sum(${tallyOf(tallied)})`;
  return sql`
    select starts_at, ${skipped} - (upto - orders) as rest
    from (
      select starts_at, ${orders} as orders, sum(${orders}) over (order by starts_at desc) as upto
      from order_tallies where ${talliesOf(tallied, hours)} and ${within}
      group by starts_at) walked
    where upto > ${skipped}
    order by starts_at desc limit 1`;
}
