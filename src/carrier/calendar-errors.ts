import { DAY_MS } from '../base/clock.js';
import type { DetailCode, FieldError } from '../base/errors.js';
import { stateNames } from '../base/place.js';
import type { CalendarHours, ClosedDay } from '../db/tables/calendars.js';
import { calendarAt, isRestDay, type WorkCalendar } from '../routing/calendar.js';
import { municipalityOfCode } from '../routing/places/municipalities.js';

/** Most errors in one answer, as for a body that breaks its contract. */
const MAX_ERRORS = 100;
/**
 * Bounds of working hours. Between them the date is the same in all of Brazil, and a courier's day ends before the next
 * begins.
 */
const EARLIEST = '01:00';
const LATEST = '22:00';
const MAX_YEARS = 10;
/** Most days without a workday that a place may have in a row. */
const MAX_REST = 31;
/** Least own days off in a longer rest. Its other days are weekends and holidays. */
const MIN_OF_LONG_REST = 19;

/** Finds the errors of a calendar, checking one day per step. `work` is its working time. */
export function* calendarErrors(
  { closed, ...hours }: CalendarHours & { closed: readonly ClosedDay[] },
  work: WorkCalendar,
  now: Date,
): Generator<unknown, FieldError[]> {
  const errors = [...hourErrors(hours), ...closed.flatMap((day, at) => dayErrors(day, at, now)), ...duplicates(closed)];
  if (errors.length > 0) return errors.slice(0, MAX_ERRORS);
  // Checks the days with the same functions that plan routes.
  const isOfLongRest = longRests(work);
  for (const [at, day] of closed.entries()) {
    if (isOfLongRest(day))
      return [error(`closed.${at}`, 'no_workday', `leaves its place without a workday for more than ${MAX_REST} days`)];
    yield;
  }
  return [];
}

const error = (field: string, code: DetailCode, message: string): FieldError => ({ field, code, message });

function hourErrors({ opening, closing, collectionCutoff: cutoff }: CalendarHours): FieldError[] {
  const hour = (time: string) => Number(time.slice(0, 2)) + Number(time.slice(3)) / 60;
  const length = hour(closing) - hour(opening);
  const isOpen = length > 0;
  return [
    opening < EARLIEST && error('opening', 'too_early', `must be ${EARLIEST} or later`),
    closing > LATEST && error('closing', 'too_late', `must be ${LATEST} or earlier`),
    !isOpen && error('closing', 'contradiction', `must be later than the opening, ${opening}`),
    isOpen && length < 1 && error('closing', 'too_early', `must be an hour after the opening, ${opening}, or later`),
    cutoff !== null && cutoff < opening && error('collectionCutoff', 'too_early', `is before the opening, ${opening}`),
    cutoff !== null && cutoff > closing && error('collectionCutoff', 'too_late', `is after the closing, ${closing}`),
  ].filter((each) => each !== false);
}

function dayErrors({ date, state, municipality }: ClosedDay, at: number, now: Date): FieldError[] {
  const years = Number(date.slice(0, 4)) - now.getUTCFullYear();
  const isBoth = state !== undefined && municipality !== undefined;
  const isKnown = municipality === undefined || municipalityOfCode(municipality) !== undefined;
  return [
    years < -MAX_YEARS && error('date', 'too_early', `lies more than ${MAX_YEARS} years back`),
    years > MAX_YEARS && error('date', 'too_late', `lies more than ${MAX_YEARS} years ahead`),
    isBoth && error('municipality', 'contradiction', 'must not stand beside a state'),
    !isKnown && error('municipality', 'unknown_value', 'is not the IBGE code of a municipality'),
    state !== undefined && !(state in stateNames) && error('state', 'unknown_value', 'is not a state of Brazil'),
  ]
    .filter((each) => each !== false)
    .map((each) => ({ ...each, field: `closed.${at}.${each.field}` }));
}

function duplicates(closed: readonly ClosedDay[]): FieldError[] {
  const firsts = new Map<string, number>();
  return closed.flatMap(({ date, state = '', municipality = '' }, at) => {
    const name = `${date} ${state}${municipality}`;
    const first = firsts.get(name);
    if (first === undefined) firsts.set(name, at);
    return first === undefined ? [] : [error(`closed.${at}`, 'duplicate', `is the same as closed.${first}`)];
  });
}

/**
 * Builds a test whether a day off belongs to a rest that is too long. In each rest, only the first own day of a place
 * is checked.
 */
function longRests(work: WorkCalendar): (day: ClosedDay) => boolean {
  const { country, states, municipalities } = work.closed;
  return ({ date, state = '', municipality }) => {
    const town = municipality === undefined ? undefined : municipalityOfCode(municipality);
    const place = town ? { city: town.name, state: town.state } : { city: '', state };
    const calendar = calendarAt(place, work);
    if (calendar.closed.reduce((sum, dates) => sum + dates.size, 0) < MIN_OF_LONG_REST) return false;
    const own = town ? municipalities.get(`${town.name} - ${town.state}`) : state ? states.get(state) : country;
    const midnight = Date.parse(`${date}T00:00:00Z`);
    let first = midnight;
    for (let before = first - DAY_MS; isRestDay(new Date(before), calendar); before -= DAY_MS) {
      if (own?.has(new Date(before).toISOString().slice(0, 10))) return false;
      if (midnight - before > MAX_REST * DAY_MS) return true;
      first = before;
    }
    let end = midnight;
    while (isRestDay(new Date(end), calendar) && end - first <= MAX_REST * DAY_MS) end += DAY_MS;
    return end - first > MAX_REST * DAY_MS;
  };
}
