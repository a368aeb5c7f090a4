import { LRUCache } from 'lru-cache';
import { DAY_MS, HOUR_MS } from '../base/clock.js';
import type { Place } from '../base/place.js';
import { computedOnce } from '../base/values.js';
import { type Weekday, weekdays } from '../base/weekdays.js';
import zoneTable from './data/time-zones.json' with { type: 'json' };

type Town = Pick<Place, 'city' | 'state'>;
type Dates = ReadonlySet<string>;

/** Opening and closing time, in milliseconds from noon. */
export interface WorkHours {
  opening: number;
  closing: number;
}

/** Working hours as people write them, such as `08:00`. */
export interface ClockHours {
  opening: string;
  closing: string;
}

export const workHoursOf = ({ opening, closing }: ClockHours): WorkHours => ({
  opening: fromNoon(opening),
  closing: fromNoon(closing),
});

/** Milliseconds from noon to a time such as `08:00`. */
export function fromNoon(time: string): number {
  const [hours, minutes] = time.split(':');
  return (Number(hours) - 12) * HOUR_MS + Number(minutes) * 60_000;
}

/** The carrier's working time. Couriers rest on national holidays in every calendar. */
export interface WorkCalendar extends WorkHours {
  /** Milliseconds from the order until a courier can come. */
  leadMs: number;
  /**
   * Couriers collect an order that comes at this time or later on the next workday at the earliest. Undefined: no
   * cutoff.
   */
  cutoff: number | undefined;
  saturdays: boolean;
  sundays: boolean;
  /**
   * The carrier's own days off, as `YYYY-MM-DD`: in the whole country, by state, and by municipality (`Santos - SP`).
   */
  closed: { country: Dates; states: ReadonlyMap<string, Dates>; municipalities: ReadonlyMap<string, Dates> };
}

/** The working time of a carrier that has set none: from 08:00 to 20:00 on every day but Sundays. */
export const standardCalendar: WorkCalendar = {
  leadMs: HOUR_MS / 2,
  cutoff: undefined,
  opening: -4 * HOUR_MS,
  closing: 8 * HOUR_MS,
  saturdays: true,
  sundays: false,
  closed: { country: new Set(), states: new Map(), municipalities: new Map() },
};

/** The calendar of a place: the working time, the local clock and the days off there. */
export interface LocalCalendar {
  work: WorkCalendar;
  clock: Intl.DateTimeFormat;
  closed: readonly Dates[];
  /** The number of this calendar among the calendars of its working time. */
  number: number;
  /** Cache of days, by number of the calendar and hour. All calendars of the working time share it. */
  days: Map<number, Day>;
}

interface CivilDay {
  date: string;
  weekday: Weekday;
  isHoliday: boolean;
  /**
   * Unix milliseconds of the day's noon. Times of day are counted from noon, because clocks are changed at midnight.
   */
  noon: number;
}

export interface Day extends CivilDay {
  calendar: LocalCalendar;
  /** Unix milliseconds. */
  opening: number;
  closing: number;
  /** True from Monday to Friday, unless the day is a day off. */
  isBusinessDay: boolean;
  /** True if couriers work on the day: it is no day off, and the calendar has them work on that weekday. */
  isWorkday: boolean;
}

/** Writes a time as `YYYY-MM-DD HH:MM` of a zone. */
const clockIn = (timeZone: string) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });

const saoPaulo = clockIn('America/Sao_Paulo');

/** Clocks of states, and of municipalities whose time zone differs from their state's. */
const otherClocks = new Map(
  Object.entries(zoneTable).flatMap(([zone, areas]) => {
    const clock = clockIn(zone);
    return areas.map((area) => [area, clock] as const);
  }),
);

/** Cache of the calendars of places and of their days, for each working time. */
const keptOf = computedOnce((_: WorkCalendar) => ({
  calendars: new Map<string, LocalCalendar>(),
  days: new Map<number, Day>(),
}));

/** Finds the calendar of a place. Places with the same clock and the same days off share one. */
export function calendarAt({ city, state }: Town, work = standardCalendar): LocalCalendar {
  const { calendars, days } = keptOf(work);
  const { country, states, municipalities } = work.closed;
  const name = `${city} - ${state}`;
  const sharedKey = otherClocks.has(state) || states.has(state) ? state : '';
  const key = otherClocks.has(name) || municipalities.has(name) ? name : sharedKey;
  const known = calendars.get(key);
  if (known) return known;
  const closed = [country, states.get(state), municipalities.get(name)].filter((dates) => dates !== undefined);
  const clock = otherClocks.get(name) ?? otherClocks.get(state) ?? saoPaulo;
  const calendar = { work, clock, closed, number: calendars.size, days };
  calendars.set(key, calendar);
  return calendar;
}

const saoPauloCalendar = calendarAt({ city: 'São Paulo', state: 'SP' });

/** National holidays of fixed date, `MM-DD`: Laws 662/1949, 6.802/1980 and 10.607/2002. */
const FIXED_HOLIDAYS = new Set(['01-01', '04-21', '05-01', '09-07', '10-12', '11-02', '11-15', '12-25']);
/** Consciência Negra, a national holiday since 2024: Law 14.759/2023. */
const CONSCIENCE_DAY = '11-20';
const FIRST_CONSCIENCE_YEAR = 2024;

/** Days from Easter without bank or postal service: Carnival's Monday and Tuesday, Good Friday, Corpus Christi. */
const DAYS_FROM_EASTER = new Set([-48, -47, -2, 60]);

// Offsets of Brazil's time zones are whole hours, so an hour never spans two days. Computing a day with Intl is far
// slower.
const civilDaysBy = computedOnce(
  (clock: Intl.DateTimeFormat) =>
    new LRUCache<number, CivilDay>({ max: 1_000, memoMethod: (hour) => readDay(new Date(hour * HOUR_MS), clock) }),
);

/** Most days that the cache of a working time keeps. When it is full, it is emptied. */
const MAX_DAYS = 20_000;
/** Greater than any number of hours since 1970, for the next thousands of years. */
const HOURS = 2 ** 24;

export function dayOf(time: number, calendar = saoPauloCalendar): Day {
  const hour = Math.floor(time / HOUR_MS);
  const { days, number } = calendar;
  const key = number * HOURS + hour;
  const known = days.get(key);
  if (known) return known;
  const day = makeDay(hour, calendar);
  if (days.size >= MAX_DAYS) days.clear();
  days.set(key, day);
  return day;
}

function makeDay(hour: number, calendar: LocalCalendar): Day {
  const { work, clock, closed } = calendar;
  const day = civilDaysBy(clock).memo(hour);
  const { date, weekday, isHoliday, noon } = day;
  const isOff = isHoliday || closed.some((dates) => dates.has(date));
  return {
    ...day,
    calendar,
    opening: noon + work.opening,
    closing: noon + work.closing,
    isBusinessDay: !isOff && weekday !== 'saturday' && weekday !== 'sunday',
    isWorkday: !isOff && isWorked(weekday, work),
  };
}

/** Tells whether couriers work on a weekday by a calendar, without regard to days off. */
export const isWorked = (weekday: Weekday, { saturdays, sundays }: WorkCalendar): boolean =>
  weekday === 'saturday' ? saturdays : weekday !== 'sunday' || sundays;

export const dayAfter = ({ noon, calendar }: Day): Day => dayOf(noon + DAY_MS, calendar);

export function nextWorkday(today: Day): Day {
  let day = dayAfter(today);
  while (!day.isWorkday) day = dayAfter(day);
  return day;
}

/**
 * The earliest time at which couriers collect an order at a place, in Unix milliseconds. It may lie outside working
 * hours.
 */
export function collectionFrom(orderedAt: Date, calendar: LocalCalendar): number {
  const { leadMs, cutoff } = calendar.work;
  const ready = orderedAt.getTime() + leadMs;
  if (cutoff === undefined) return ready;
  const day = dayOf(orderedAt.getTime(), calendar);
  return orderedAt.getTime() < day.noon + cutoff ? ready : Math.max(ready, nextWorkday(day).opening);
}

/** The day of the first delivery attempt, `YYYY-MM-DD`. During working hours all of Brazil has the same date. */
export const promisedDate = (eta: Date): string => dayOf(eta.getTime()).date;

/** Tells whether nobody works on a date, given as UTC midnight. The result is that of `dayOf`, at a smaller cost. */
export function isRestDay(date: Date, { work, closed }: LocalCalendar): boolean {
  if (!isWorked(weekdayOf(date), work) || isHoliday(date)) return true;
  const text = date.toISOString().slice(0, 10);
  return closed.some((dates) => dates.has(text));
}

const weekdayOf = (date: Date): Weekday => weekdays[date.getUTCDay()] ?? 'sunday';

function readDay(time: Date, clock: Intl.DateTimeFormat): CivilDay {
  const date = clock.format(time).slice(0, 10);
  const midday = new Date(`${date}T15:00:00Z`);
  const day = new Date(`${date}T00:00:00Z`);
  return {
    date,
    weekday: weekdayOf(day),
    isHoliday: isHoliday(day),
    noon: midday.getTime() - (Number(clock.format(midday).slice(11, 13)) - 12) * HOUR_MS,
  };
}

function isHoliday(day: Date): boolean {
  const sinceEaster = Math.round((day.getTime() - easter(day.getUTCFullYear()).getTime()) / DAY_MS);
  return isFixedHoliday(day) || DAYS_FROM_EASTER.has(sinceEaster);
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
