import { type RawBuilder, sql } from 'kysely';
import { NIL } from 'uuid';
import { HOUR_MS } from '../../base/clock.js';

/** Counts orders, or their packages, by time of creation: sums over `order_tallies`. */
export interface Tallied {
  /** Undefined means all accounts. */
  accountId: string | undefined;
  tally: RawBuilder<unknown>;
  /** Counts the records of a part of an hour one by one. */
  count(from: Date, to: Date): RawBuilder<unknown>;
}

/** Lengths of the tallies' spans, in hours. Spans are counted from 1970-01-01Z. */
export const spans = { wide: 336, narrow: 1 } as const;

/** The first start of a span of this length at or after the time. */
function nextSpan(time: Date, hours: number): Date {
  return new Date(Math.ceil(time.getTime() / (hours * HOUR_MS)) * hours * HOUR_MS);
}

export const talliesOf = ({ accountId }: Pick<Tallied, 'accountId'>, hours: number): RawBuilder<unknown> =>
  sql`scope = ${accountId ?? NIL} and hours = ${sql.lit(hours)}`;

/** SQL that counts the records created at the time or later. Without a time it counts all. */
export function createdSince(list: Tallied, time: Date | undefined): RawBuilder<unknown> {
  const sum = sql`select coalesce(sum(${list.tally}), 0) from order_tallies`;
  if (time === undefined) return sql`(${sum} where ${talliesOf(list, spans.wide)})`;
  const hour = nextSpan(time, spans.narrow);
  const wide = nextSpan(hour, spans.wide);
  return sql`(
    (${sum} where ${talliesOf(list, spans.wide)} and starts_at >= ${wide})
    + (${sum} where ${talliesOf(list, spans.narrow)} and starts_at >= ${hour} and starts_at < ${wide})
    + (${list.count(time, hour)}))`;
}

export function createdBetween(list: Tallied, from: Date | undefined, to: Date | undefined): RawBuilder<unknown> {
  const since = createdSince(list, from);
  return to === undefined ? since : sql`greatest(${since} - ${createdSince(list, to)}, 0)`;
}
