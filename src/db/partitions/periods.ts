import { DAY_MS } from '../../base/clock.js';
import { firstIdAt, msecsOf } from '../../base/ids.js';

/** The time span of a partition: a day, a week from Monday, or a calendar month, all in UTC. */
export type Width = 'day' | 'week' | 'month';

export interface Period {
  from: Date;
  /** The first moment after the period. */
  until: Date;
}

/** Offset of a Monday from 1970-01-01, which was a Thursday. */
const MONDAY_MS = -3 * DAY_MS;

export function periodAt(width: Width, at: Date): Period {
  if (width === 'month') {
    const month = (offset: number) => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + offset));
    return { from: month(0), until: month(1) };
  }
  const [length, origin] = width === 'week' ? [7 * DAY_MS, MONDAY_MS] : [DAY_MS, 0];
  const from = Math.floor((at.getTime() - origin) / length) * length + origin;
  return { from: new Date(from), until: new Date(from + length) };
}

/** The period of the time, the one before it, and `ahead` later ones. Ids of a slow clock may need the one before. */
export function periodsAround(width: Width, at: Date, ahead: number): Period[] {
  const present = periodAt(width, at);
  const periods = [periodAt(width, new Date(present.from.getTime() - 1)), present];
  for (let last = present; periods.length < ahead + 2; periods.push(last)) last = periodAt(width, last.until);
  return periods;
}

/** The name of a period: `2026-11-22` becomes `2026_11_22`, a month `2026_11`. */
export const nameOfPeriod = (width: Width, { from }: Period): string =>
  from
    .toISOString()
    .slice(0, width === 'month' ? 7 : 10)
    .replaceAll('-', '_');

/** Type of the column that tells a row's time: a UUIDv7, which begins with its milliseconds, or a time. */
export type KeyKind = 'uuidv7' | 'timestamptz';

/** The smallest key of rows at this time or later, as text. */
export const keyAt = (kind: KeyKind, at: Date): string =>
  kind === 'timestamptz' ? at.toISOString() : firstIdAt(at.getTime());

export const timeOfKey = (kind: KeyKind, key: string): Date => new Date(kind === 'timestamptz' ? key : msecsOf(key));
