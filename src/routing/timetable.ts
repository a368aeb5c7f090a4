import { HOUR_MS } from '../base/clock.js';
import type { Place, Waypoint } from '../base/place.js';

import { type Weekday, weekdays } from '../base/weekdays.js';
import { type Day, dayAfter, dayOf, localClock } from './calendar.js';

import type { LegTable } from './ports.js';

// Times of a route (contracts/guides/behaviour.md#routes-and-times). Couriers work from 08:00 to 20:00 on workdays,
// drive for 10 hours a day at most, and go on at 08:00 of the next workday. A long leg goes by line-haul, at all hours
// of business days, to another courier. A stop is visited by its own local time, and a leg goes by that of the stop
// where it begins. A later departure never leads to an earlier arrival.

const OPENING_MS = -4 * HOUR_MS;
const CLOSING_MS = 8 * HOUR_MS;
const DAILY_DRIVING_MS = 10 * HOUR_MS;

/** Signing packages over at a pickup, finding the recipient at a delivery. */
const PICKUP_MS = 5 * 60 * 1_000;
const DELIVERY_MS = 4 * 60 * 1_000;

const COURIER_METRES = 400_000;
const LINE_HAUL_KM_PER_HOUR = 60;

/** An odd answer of a routing engine must not fill years of the calendar. */
const LONGEST_LEG_MS = 30 * 24 * HOUR_MS;

/** A courier's day: the time, in Unix milliseconds, the milliseconds of driving on this day, and the local clock. */
interface Shift {
  time: number;
  drivenMs: number;
  clock: Intl.DateTimeFormat | undefined;
}

/** The legs between stops, and the clock of each stop; São Paulo's where it is left out. */
type Legs = Pick<LegTable, 'metres' | 'seconds'> & {
  clocks: readonly Intl.DateTimeFormat[];
  days?: readonly (VisitDays | undefined)[];
  /** YYYY-MM-DD: the days before which a stop is not visited. */
  firstDays?: readonly (string | null | undefined)[];
};

/**
 * The waypoint of every stop, by stop number, when the stops are visited in this order, not before `departAt`; before
 * the first delivery the packages rest for so many workdays.
 */
export function waypointsAlong(
  order: readonly number[],
  pickups: number,
  legs: Legs,
  departAt: Date,
  restDays = 0,
): Waypoint[] {
  const firstDelivery = order.find((stop) => stop >= pickups);
  const waypoints = new Array<Waypoint>(order.length);
  let shift: Shift = { time: departAt.getTime(), drivenMs: 0, clock: undefined };
  order.forEach((stop, index) => {
    const previous = order[index - 1];
    const metres = previous === undefined ? 0 : (legs.metres[previous]?.[stop] ?? 0);
    const seconds = previous === undefined ? 0 : (legs.seconds[previous]?.[stop] ?? 0);
    const visitMs = stop < pickups ? PICKUP_MS : DELIVERY_MS;
    const moved = metres > COURIER_METRES ? haul(shift, metres) : drive(shift, seconds);
    const reached = arrive({ ...moved, clock: legs.clocks[stop] }, visitMs);
    const rested = stop === firstDelivery ? rest(reached, restDays) : reached;
    const days = legs.days?.[stop];
    const arrival = stop < pickups ? onVisitDay(rested, days) : rested;
    // The packages of a delivery that is later wait there: the other deliveries of the route do not.
    const later = notBefore(rest(arrival, days?.extraWorkdays ?? 0), legs.firstDays?.[stop]);
    const visit = stop < pickups ? arrival : onVisitDay(later, days);
    waypoints[stop] = { index, eta: new Date(visit.time), legDistance: Math.round(metres) };
    shift = { ...arrival, time: arrival.time + visitMs };
  });
  return waypoints;
}

function arrive(shift: Shift, visitMs: number): Shift {
  const day = dayOf(shift.time, shift.clock);
  if (!day.isWorkday || shift.time + visitMs > day.noon + CLOSING_MS) return nextMorning(day);
  const opening = day.noon + OPENING_MS;
  return { ...shift, time: Math.max(shift.time, opening) };
}

function nextMorning(today: Day): Shift {
  let day = dayAfter(today);
  while (!day.isWorkday) day = dayAfter(day);
  return { time: day.noon + OPENING_MS, drivenMs: 0, clock: day.clock };
}

/** Days on which couriers of the carrier are at a place. */
export interface VisitDays {
  weekdays: readonly Weekday[];
  /** Workdays by which deliveries are later. */
  extraWorkdays: number;
}

/** Every weekday comes within them, whatever the holidays; days on which nobody works do not count. */
const LONGEST_WAIT_DAYS = 35;

/** The shift itself on a day of the list, else in the morning of the next workday that is one. */
function onVisitDay(shift: Shift, days: VisitDays | undefined): Shift {
  if (!days || days.weekdays.length === weekdays.length) return shift;
  let next = shift;
  for (let waited = 0; waited < LONGEST_WAIT_DAYS; waited++) {
    const day = dayOf(next.time, shift.clock);
    // Noon in Brazil is on the same day in UTC.
    const weekday = weekdays[new Date(day.noon).getUTCDay()];
    if (weekday && days.weekdays.includes(weekday)) return next;
    next = nextMorning(day);
  }
  return shift;
}

/** The shift itself, or the opening of the first workday that is not before the day. */
function notBefore(shift: Shift, firstDay: string | null | undefined): Shift {
  if (!firstDay || dayOf(shift.time, shift.clock).date >= firstDay) return shift;
  // That hour in UTC is on the same day in all of Brazil.
  const day = dayOf(Date.parse(`${firstDay}T15:00:00Z`), shift.clock);
  return day.isWorkday ? { time: day.noon + OPENING_MS, drivenMs: 0, clock: day.clock } : nextMorning(day);
}

/** The same time of day, so many workdays later. */
function rest(shift: Shift, days: number): Shift {
  let day = dayOf(shift.time, shift.clock);
  const sinceNoon = shift.time - day.noon;
  for (let left = days; left > 0; left -= Number(day.isWorkday)) day = dayAfter(day);
  return { ...shift, time: day.noon + sinceNoon };
}

/** After a leg by courier, which pauses at night and once the day's driving is done. */
function drive(from: Shift, seconds: number): Shift {
  let shift = from;
  let restMs = legMs(seconds);
  while (restMs > 0) {
    const day = dayOf(shift.time, shift.clock);
    const roomMs = Math.min(day.noon + CLOSING_MS - shift.time, DAILY_DRIVING_MS - shift.drivenMs);
    if (restMs <= roomMs) return { ...shift, time: shift.time + restMs, drivenMs: shift.drivenMs + restMs };
    restMs -= roomMs;
    shift = nextMorning(day);
  }
  return shift;
}

/** After a leg by line-haul, which moves on business days only. The courier at its end has not driven yet that day. */
function haul({ time: departure, clock }: Shift, metres: number): Shift {
  let day = dayOf(departure, clock);
  let time = departure;
  let restMs = legMs((metres * 3.6) / LINE_HAUL_KM_PER_HOUR);
  for (;;) {
    const roomMs = day.isBusinessDay ? day.noon + 12 * HOUR_MS - time : 0;
    if (day.isBusinessDay && restMs <= roomMs) return { time: time + restMs, drivenMs: 0, clock };
    restMs -= roomMs;
    day = dayAfter(day);
    time = day.noon - 12 * HOUR_MS;
  }
}

const legMs = (seconds: number): number => Math.min(Math.round(seconds) * 1_000, LONGEST_LEG_MS);

const WINDOW_MS = 4 * HOUR_MS;

export interface DeliveryWindow {
  from: Date;
  to: Date;
}

/**
 * Hours of a planned delivery: four whole ones within working hours, most of them after the ETA, as couriers are late
 * rather than early. Undefined once they are over, and for a package that left for its delivery on another day.
 */
export function deliveryWindow(
  { eta, leftAt }: { eta: Date; leftAt: Date | undefined },
  place: Pick<Place, 'city' | 'state'>,
  now: Date,
): DeliveryWindow | undefined {
  const day = dayOf(eta.getTime(), localClock(place));
  const hour = Math.floor(eta.getTime() / HOUR_MS) * HOUR_MS - HOUR_MS;
  const from = Math.max(day.noon + OPENING_MS, Math.min(hour, day.noon + CLOSING_MS - WINDOW_MS));
  const window = { from: new Date(from), to: new Date(from + WINDOW_MS) };
  const isOtherDay = leftAt && dayOf(leftAt.getTime(), day.clock).date !== day.date;
  return window.to <= now || isOtherDay ? undefined : window;
}
