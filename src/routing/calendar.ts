import { LRUCache } from 'lru-cache';
import { isNationalHoliday } from './holidays.js';

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

const saoPauloDate = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Sao_Paulo',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** A calendar day as UTC midnight, so that arithmetic on it meets no change of clocks. */
function dayInSaoPaulo(time: Date): Date {
  return new Date(`${saoPauloDate.format(time)}T00:00:00Z`);
}

function isBusinessDay(day: Date): boolean {
  const weekday = day.getUTCDay();
  return weekday !== 0 && weekday !== 6 && !isNationalHoliday(day);
}

function businessDay(time: Date): string {
  let day = dayInSaoPaulo(time);
  while (!isBusinessDay(day)) day = new Date(day.getTime() + DAY_MS);
  return day.toISOString().slice(0, 10);
}

// São Paulo is whole hours from UTC, so that all of an hour is one day there.
const byHour = new LRUCache<number, string>({
  max: 1_000,
  memoMethod: (hour) => businessDay(new Date(hour * HOUR_MS)),
});

/**
 * The day of the first delivery attempt, `YYYY-MM-DD`: the day of arrival in America/Sao_Paulo or, where that is no
 * business day, the next one that is.
 */
export function promisedDate(eta: Date): string {
  return byHour.memo(Math.floor(eta.getTime() / HOUR_MS));
}
