import { type Expression, type RawBuilder, sql } from 'kysely';

/** A time as `YYYY-MM-DDTHH:MM:SS.ffffffZ`. A Date would lose the microseconds. The texts sort like the times. */
export type Instant = string;

const RFC3339 =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,6}))?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/i;

/** Parses an RFC 3339 time with up to six decimals. Undefined for other texts, and for years outside 1 to 9999. */
export function instantOf(text: string): Instant | undefined {
  const [, date, hours, minutes, seconds, fraction = '', zone] = RFC3339.exec(text) ?? [];
  if (date === undefined || !isDay(date)) return undefined;
  const whole = new Date(`${date}T${hours}:${minutes}:${seconds}${zone?.toUpperCase()}`).toISOString();
  if (whole.length !== 24 || whole < '0001') return undefined;
  return `${whole.slice(0, 19)}.${fraction.padEnd(6, '0')}Z`;
}

/** Tells whether the day exists: the engine reads 30 February as 2 March. */
function isDay(date: string): boolean {
  const midnight = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
}

/** Parses a time `at time zone 'UTC'` from PostgreSQL's JSON, which lacks the zone and trailing zeros. */
export function instantOfJson(text: string): Instant {
  const whole = text.length === 19 ? `${text}.` : text;
  return `${whole.padEnd(26, '0')}Z`;
}

/** SQL text of a column's time as an Instant. */
export const instantText = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

export function instant(time: Expression<unknown> | RawBuilder<unknown>): RawBuilder<Instant> {
  return sql<Instant>`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
