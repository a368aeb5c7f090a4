import { HOUR_MS } from '../base/clock.js';
import type { Place, Waypoint } from '../base/place.js';
import { type Weekday, weekdays } from '../base/weekdays.js';
import {
  type ClockHours,
  calendarAt,
  collectionFrom,
  type Day,
  dayAfter,
  dayOf,
  isWorked,
  type LocalCalendar,
  nextWorkday,
  standardCalendar,
  workHoursOf,
} from './calendar.js';
import type { LegTable } from './ports.js';

// Times of a route (contracts/guides/behaviour.md#routes-and-times). Couriers work in the hours and on the workdays of
// the carrier's calendar. They drive for 10 hours a day at most, and go on when the next workday opens. A long leg goes
// by line-haul, at all hours of business days, to another courier. The local calendar of a stop counts at the stop and
// for the leg that begins there. A later departure or another day off never leads to an earlier arrival.

const DAILY_DRIVING_MS = 10 * HOUR_MS;

/** Time of a visit: to sign the packages over at a pickup, to find the recipient at a delivery. */
const PICKUP_MS = 5 * 60 * 1_000;
const DELIVERY_MS = 4 * 60 * 1_000;

const COURIER_METRES = 400_000;
const LINE_HAUL_KM_PER_HOUR = 60;

/** The longest time of a leg. Without it a wrong answer of a routing engine could fill years of the calendar. */
const MAX_LEG_MS = 30 * 24 * HOUR_MS;

/** State of a courier: the time in Unix milliseconds, the milliseconds driven on this day, and the local calendar. */
interface Shift {
  time: number;
  drivenMs: number;
  calendar: LocalCalendar;
}

/** The legs between stops, and data of each stop. */
type Legs = Pick<LegTable, 'metres' | 'seconds'> & {
  calendars: readonly LocalCalendar[];
  /** The earliest time of a visit, in Unix milliseconds, by stop. Every pickup has one. */
  notBefore: readonly (number | undefined)[];
  days?: readonly (VisitDays | undefined)[];
  /** `YYYY-MM-DD`: the first day on which a delivery may happen. Its package waits until then; the route goes on. */
  firstDays?: readonly (string | null | undefined)[];
};

/**
 * Returns the waypoint of each stop, by stop number, when the stops are visited in `order`. The packages rest for
 * `restDays` workdays before the first delivery.
 */
export function waypointsAlong(order: readonly number[], pickups: number, legs: Legs, restDays = 0): Waypoint[] {
  const firstDelivery = order.find((stop) => stop >= pickups);
  const waypoints = new Array<Waypoint>(order.length);
  let shift: Shift | undefined;
  order.forEach((stop, index) => {
    const calendar = legs.calendars[stop];
    const notBefore = legs.notBefore[stop] ?? 0;
    if (!calendar) throw new RangeError(`stop ${stop} has no calendar`);
    const previous = order[index - 1];
    const metres = previous === undefined ? 0 : (legs.metres[previous]?.[stop] ?? 0);
    const seconds = previous === undefined ? 0 : (legs.seconds[previous]?.[stop] ?? 0);
    const visitMs = stop < pickups ? PICKUP_MS : DELIVERY_MS;
    const moved = shift && (metres > COURIER_METRES ? haul(shift, metres) : drive(shift, seconds));
    const begun = moved ? enter(moved, calendar, notBefore) : { time: notBefore, drivenMs: 0, calendar };
    const reached = arrive(begun, visitMs);
    const rested = stop === firstDelivery ? rest(reached, restDays) : reached;
    const days = legs.days?.[stop];
    const arrival = stop < pickups ? onVisitDay(rested, days) : rested;
    // A delivery with a later day waits at its stop. The other deliveries of the route do not wait for it.
    const later = fromDay(rest(arrival, days?.extraWorkdays ?? 0), legs.firstDays?.[stop]);
    const visit = stop < pickups ? arrival : onVisitDay(later, days);
    waypoints[stop] = { index, eta: new Date(visit.time), legDistance: Math.round(metres) };
    shift = { ...arrival, time: arrival.time + visitMs };
  });
  return waypoints;
}

/** The shift on arrival at the next place, not before `notBefore`. On a new date the driving time starts again at 0. */
function enter(from: Shift, calendar: LocalCalendar, notBefore: number): Shift {
  const time = Math.max(from.time, notBefore);
  const isSame = time === from.time && calendar === from.calendar;
  const isSameDay = isSame || dayOf(time, calendar).date === dayOf(from.time, from.calendar).date;
  return { time, drivenMs: isSameDay ? from.drivenMs : 0, calendar };
}

function arrive(shift: Shift, visitMs: number): Shift {
  const day = dayOf(shift.time, shift.calendar);
  if (!day.isWorkday || shift.time + visitMs > day.closing) return nextMorning(day);
  return { ...shift, time: Math.max(shift.time, day.opening) };
}

function nextMorning(today: Day): Shift {
  const { opening, calendar } = nextWorkday(today);
  return { time: opening, drivenMs: 0, calendar };
}

/** The first working time at which couriers can be at a pickup. */
export function firstCollection(orderedAt: Date, readyAt: Date | null, calendar: LocalCalendar): Date {
  const time = Math.max(collectionFrom(orderedAt, calendar), readyAt?.getTime() ?? 0);
  return new Date(arrive({ time, drivenMs: 0, calendar }, PICKUP_MS).time);
}

/** Days on which the carrier's couriers visit a place. */
export interface VisitDays {
  weekdays: readonly Weekday[];
  /** Workdays that deliveries take in addition. */
  extraWorkdays: number;
}

/** The same shift if it is on a visit day, else the opening of the next workday that is a visit day. */
function onVisitDay(shift: Shift, days: VisitDays | undefined): Shift {
  if (!days || days.weekdays.length === weekdays.length) return shift;
  // If nobody works on any visit day of a place, it is visited on every workday.
  if (!days.weekdays.some((day) => isWorked(day, shift.calendar.work))) return shift;
  let next = shift;
  for (;;) {
    const day = dayOf(next.time, shift.calendar);
    if (days.weekdays.includes(day.weekday)) return next;
    next = nextMorning(day);
  }
}

/** The same shift if the day has come, else the opening of the first workday on or after that day. */
function fromDay(shift: Shift, firstDay: string | null | undefined): Shift {
  if (!firstDay || dayOf(shift.time, shift.calendar).date >= firstDay) return shift;
  // At 15:00 UTC all of Brazil has the same date.
  const day = dayOf(Date.parse(`${firstDay}T15:00:00Z`), shift.calendar);
  return day.isWorkday ? { time: day.opening, drivenMs: 0, calendar: shift.calendar } : nextMorning(day);
}

/** The same time of day, `days` workdays later. */
function rest(shift: Shift, days: number): Shift {
  let day = dayOf(shift.time, shift.calendar);
  const sinceNoon = shift.time - day.noon;
  for (let left = days; left > 0; left -= Number(day.isWorkday)) day = dayAfter(day);
  return { ...shift, time: day.noon + sinceNoon };
}

/** The shift after a leg by courier. Driving pauses at night, and when the day's driving time is used up. */
function drive(from: Shift, seconds: number): Shift {
  let shift = from;
  let restMs = legMs(seconds);
  while (restMs > 0) {
    const day = dayOf(shift.time, shift.calendar);
    const roomMs = Math.min(day.closing - shift.time, DAILY_DRIVING_MS - shift.drivenMs);
    if (restMs <= roomMs) return { ...shift, time: shift.time + restMs, drivenMs: shift.drivenMs + restMs };
    restMs -= roomMs;
    shift = nextMorning(day);
  }
  return shift;
}

/** The shift after a leg by line-haul, which moves on business days only. The next courier has not driven yet. */
function haul({ time: departure, calendar }: Shift, metres: number): Shift {
  let day = dayOf(departure, calendar);
  let time = departure;
  let restMs = legMs((metres * 3.6) / LINE_HAUL_KM_PER_HOUR);
  for (;;) {
    const roomMs = day.isBusinessDay ? day.noon + 12 * HOUR_MS - time : 0;
    if (day.isBusinessDay && restMs <= roomMs) return { time: time + restMs, drivenMs: 0, calendar };
    restMs -= roomMs;
    day = dayAfter(day);
    time = day.noon - 12 * HOUR_MS;
  }
}

const legMs = (seconds: number): number => Math.min(Math.round(seconds) * 1_000, MAX_LEG_MS);

const WINDOW_MS = 4 * HOUR_MS;

export interface DeliveryPlan {
  eta: Date;
  /** The time at which the package left for its delivery. */
  leftAt: Date | undefined;
  /** The carrier's working hours when the order came. Null if they are not known: then the standard ones count. */
  hours: ClockHours | null;
}

export interface DeliveryWindow {
  from: Date;
  to: Date;
}

/**
 * The hours in which a planned delivery is expected: four whole ones within working hours. Most of them lie after the
 * ETA, because couriers are more often late than early. Undefined once the hours are over, and if the package left for
 * its delivery on another day.
 */
export function deliveryWindow(
  { eta, leftAt, hours }: DeliveryPlan,
  place: Pick<Place, 'city' | 'state'>,
  now: Date,
): DeliveryWindow | undefined {
  const { noon, date, calendar } = dayOf(eta.getTime(), calendarAt(place));
  const hour = Math.floor(eta.getTime() / HOUR_MS) * HOUR_MS - HOUR_MS;
  const working = hours ? workHoursOf(hours) : standardCalendar;
  const [opening, closing] = [noon + working.opening, noon + working.closing];
  // After a change of address, the ETA may follow a later calendar and lie outside these hours.
  const isWithin = eta.getTime() >= opening && eta.getTime() < closing;
  const from = isWithin ? Math.max(opening, Math.min(hour, closing - WINDOW_MS)) : hour;
  const to = isWithin ? Math.min(from + WINDOW_MS, closing) : from + WINDOW_MS;
  const window = { from: new Date(from), to: new Date(to) };
  const isOtherDay = leftAt && dayOf(leftAt.getTime(), calendar).date !== date;
  return window.to <= now || isOtherDay ? undefined : window;
}
