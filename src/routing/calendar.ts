import { LRUCache } from 'lru-cache';
import { HOUR_MS } from '../base/clock.js';
import type { Place } from '../base/place.js';
import { computedOnce } from '../base/values.js';
import zoneTable from './data/time-zones.json' with { type: 'json' };

const DAY_MS = 24 * HOUR_MS;

export interface Day {
  date: string;
  clock: Intl.DateTimeFormat;
  /** Unix milliseconds of its noon: clocks are changed at midnight, so times of day are counted from noon. */
  noon: number;
  /** Monday to Friday and no holiday. */
  isBusinessDay: boolean;
  /** A business day, or a Saturday that is no holiday: couriers work. */
  isWorkday: boolean;
}

/** Writes a time as `YYYY-MM-DD HH:MM` of a zone. */
const clockIn = (timeZone: string) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });

const saoPaulo = clockIn('America/Sao_Paulo');

/** By states, and by municipalities that have another zone than their state. */
const otherClocks = new Map(
  Object.entries(zoneTable).flatMap(([zone, areas]) => {
    const clock = clockIn(zone);
    return areas.map((area) => [area, clock] as const);
  }),
);

export const localClock = ({ city, state }: Pick<Place, 'city' | 'state'>): Intl.DateTimeFormat =>
  otherClocks.get(`${city} - ${state}`) ?? otherClocks.get(state) ?? saoPaulo;

/** National holidays of fixed date, `MM-DD`: Laws 662/1949, 6.802/1980 and 10.607/2002. */
const FIXED_HOLIDAYS = new Set(['01-01', '04-21', '05-01', '09-07', '10-12', '11-02', '11-15', '12-25']);
/** Consciência Negra, a national holiday since 2024: Law 14.759/2023. */
const CONSCIENCE_DAY = '11-20';
const FIRST_CONSCIENCE_YEAR = 2024;

/** Days from Easter without bank or postal service: Carnival's Monday and Tuesday, Good Friday, Corpus Christi. */
const DAYS_FROM_EASTER = new Set([-48, -47, -2, 60]);

// Brazil is whole hours from UTC, so every hour lies within one day there. Intl takes many times as long.
const daysBy = computedOnce(
  (clock: Intl.DateTimeFormat) =>
    new LRUCache<number, Day>({ max: 1_000, memoMethod: (hour) => readDay(new Date(hour * HOUR_MS), clock) }),
);

export const dayOf = (time: number, clock = saoPaulo): Day => daysBy(clock).memo(Math.floor(time / HOUR_MS));

export const dayAfter = ({ noon, clock }: Day): Day => dayOf(noon + DAY_MS, clock);

/** The day of the first delivery attempt, `YYYY-MM-DD`: in working hours the date is the same in all of Brazil. */
export const promisedDate = (eta: Date): string => dayOf(eta.getTime()).date;

function readDay(time: Date, clock: Intl.DateTimeFormat): Day {
  const date = clock.format(time).slice(0, 10);
  const midday = new Date(`${date}T15:00:00Z`);
  const day = new Date(`${date}T00:00:00Z`);
  const sinceEaster = Math.round((day.getTime() - easter(day.getUTCFullYear()).getTime()) / DAY_MS);
  const isHoliday = isFixedHoliday(day) || DAYS_FROM_EASTER.has(sinceEaster);
  const weekday = day.getUTCDay();
  return {
    date,
    clock,
    noon: midday.getTime() - (Number(clock.format(midday).slice(11, 13)) - 12) * HOUR_MS,
    isBusinessDay: !isHoliday && weekday !== 0 && weekday !== 6,
    isWorkday: !isHoliday && weekday !== 0,
  };
}

function isFixedHoliday(day: Date): boolean {
  const date = day.toISOString().slice(5, 10);
  return FIXED_HOLIDAYS.has(date) || (date === CONSCIENCE_DAY && day.getUTCFullYear() >= FIRST_CONSCIENCE_YEAR);
}

/** Easter Sunday of the Gregorian calendar as UTC midnight: the "anonymous" computus of Meeus, Jones and Butcher. */
function easter(year: number): Date {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const ofCentury = year % 100;
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30;
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - epact - (ofCentury % 4)) % 7;
  const shift = Math.floor((golden + 11 * epact + 22 * weekday) / 451);
  const days = epact + weekday - 7 * shift + 114;
  return new Date(Date.UTC(year, Math.floor(days / 31) - 1, (days % 31) + 1));
}
