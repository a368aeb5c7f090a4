import { LRUCache } from 'lru-cache';
import { DAY_MS, HOUR_MS } from '../base/clock.js';
import type { Place } from '../base/place.js';
import { computedOnce } from '../base/values.js';
import { type Weekday, weekdays } from '../base/weekdays.js';
import zoneTable from './data/time-zones.json' with { type: 'json' };

type Town = Pick<Place, 'city' | 'state'>;
type Dates = ReadonlySet<string>;

/** Times of day are milliseconds from noon. */
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

/** The carrier's working time. Couriers rest on national holidays, by any calendar. */
export interface WorkCalendar extends WorkHours {
  /** Time that a courier needs to come, counted from the order. */
  leadMs: number;
  /** Orders that come from this time on are collected on the next workday; without it, all on the same day. */
  cutoff: number | undefined;
  saturdays: boolean;
  sundays: boolean;
  /** Own days off, `YYYY-MM-DD`: in the country, by state, and by `Santos - SP`. */
  closed: { country: Dates; states: ReadonlyMap<string, Dates>; municipalities: ReadonlyMap<string, Dates> };
}

/** The working time while the carrier has said nothing: from 08:00 to 20:00 on every day but Sundays. */
export const standardCalendar: WorkCalendar = {
  leadMs: HOUR_MS / 2,
  cutoff: undefined,
  opening: -4 * HOUR_MS,
  closing: 8 * HOUR_MS,
  saturdays: true,
  sundays: false,
  closed: { country: new Set(), states: new Map(), municipalities: new Map() },
};

/** A calendar at a place, with the local clock and the days off there. */
export interface LocalCalendar {
  work: WorkCalendar;
  clock: Intl.DateTimeFormat;
  closed: readonly Dates[];
  /** Among the calendars of one working time. */
  number: number;
  /** Days of all calendars of the working time that were asked for lately, by number of the calendar and hour. */
  days: Map<number, Day>;
}

interface CivilDay {
  date: string;
  weekday: Weekday;
  isHoliday: boolean;
  /** Unix milliseconds of its noon: clocks are changed at midnight, so times of day are counted from noon. */
  noon: number;
}

export interface Day extends CivilDay {
  calendar: LocalCalendar;
  /** Unix milliseconds. */
  opening: number;
  closing: number;
  /** Monday to Friday and no day off. */
  isBusinessDay: boolean;
  /** A day on which couriers work: no day off, a Saturday or a Sunday only where the calendar says so. */
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

/** Calendars of places, and their days, by working time. */
const keptOf = computedOnce((_: WorkCalendar) => ({
  calendars: new Map<string, LocalCalendar>(),
  days: new Map<number, Day>(),
}));

/** The calendar of a place. Places of one clock with the same days off share it. */
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

// Brazil is whole hours from UTC, so every hour lies within one day there. Intl takes many times as long.
const civilDaysBy = computedOnce(
  (clock: Intl.DateTimeFormat) =>
    new LRUCache<number, CivilDay>({ max: 1_000, memoMethod: (hour) => readDay(new Date(hour * HOUR_MS), clock) }),
);

/** Days of a working time that are kept; when there are more, all are forgotten. */
const MAX_DAYS = 20_000;
/** Hours since 1970 have smaller numbers for thousands of years. */
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

/** True of a weekday on which couriers work by a calendar, days off apart. */
export const isWorked = (weekday: Weekday, { saturdays, sundays }: WorkCalendar): boolean =>
  weekday === 'saturday' ? saturdays : weekday !== 'sunday' || sundays;

export const dayAfter = ({ noon, calendar }: Day): Day => dayOf(noon + DAY_MS, calendar);

export function nextWorkday(today: Day): Day {
  let day = dayAfter(today);
  while (!day.isWorkday) day = dayAfter(day);
  return day;
}

/** The time from which couriers collect an order at a place, in Unix milliseconds; they work at that time or later. */
export function collectionFrom(orderedAt: Date, calendar: LocalCalendar): number {
  const { leadMs, cutoff } = calendar.work;
  const ready = orderedAt.getTime() + leadMs;
  if (cutoff === undefined) return ready;
  const day = dayOf(orderedAt.getTime(), calendar);
  return orderedAt.getTime() < day.noon + cutoff ? ready : Math.max(ready, nextWorkday(day).opening);
}

/** The day of the first delivery attempt, `YYYY-MM-DD`: in working hours the date is the same in all of Brazil. */
export const promisedDate = (eta: Date): string => dayOf(eta.getTime()).date;

/** True if nobody works on a date, given as UTC midnight: it agrees with `dayOf`, at a smaller cost. */
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
