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
// the carrier's calendar, drive for 10 hours a day at most, and go on when the next workday opens. A long leg goes by
// line-haul, at all hours of business days, to another courier. The local calendar of a stop counts there and for the
// leg that begins there. A later departure or another day off never leads to an earlier arrival.

const DAILY_DRIVING_MS = 10 * HOUR_MS;

/** Signing packages over at a pickup, finding the recipient at a delivery. */
const PICKUP_MS = 5 * 60 * 1_000;
const DELIVERY_MS = 4 * 60 * 1_000;

const COURIER_METRES = 400_000;
const LINE_HAUL_KM_PER_HOUR = 60;

/** An odd answer of a routing engine must not fill years of the calendar. */
const MAX_LEG_MS = 30 * 24 * HOUR_MS;

/** The day of a courier: the time in Unix milliseconds, milliseconds of driving on this day, and the local calendar. */
interface Shift {
  time: number;
  drivenMs: number;
  calendar: LocalCalendar;
}

/** The legs between stops, and facts of each stop. */
type Legs = Pick<LegTable, 'metres' | 'seconds'> & {
  calendars: readonly LocalCalendar[];
  /** Unix milliseconds before which a stop is not visited; the stop where the route begins has some. */
  notBefore: readonly (number | undefined)[];
  days?: readonly (VisitDays | undefined)[];
  /** YYYY-MM-DD: the first days of deliveries. Packages wait for theirs; the route goes on. */
  firstDays?: readonly (string | null | undefined)[];
};

/**
 * The waypoint of every stop, by stop number, when the stops are visited in this order; before the first delivery the
 * packages rest for so many workdays.
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
    // The packages of a delivery that is later wait there: the other deliveries of the route do not.
    const later = fromDay(rest(arrival, days?.extraWorkdays ?? 0), legs.firstDays?.[stop]);
    const visit = stop < pickups ? arrival : onVisitDay(later, days);
    waypoints[stop] = { index, eta: new Date(visit.time), legDistance: Math.round(metres) };
    shift = { ...arrival, time: arrival.time + visitMs };
  });
  return waypoints;
}

/** The shift at its next place, not before a time there. Driving of an earlier date does not count. */
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

/** Days on which couriers of the carrier are at a place. */
export interface VisitDays {
  weekdays: readonly Weekday[];
  /** Workdays by which deliveries are later. */
  extraWorkdays: number;
}

/** The shift itself on a day of the list, else in the morning of the next workday that is one. */
function onVisitDay(shift: Shift, days: VisitDays | undefined): Shift {
  if (!days || days.weekdays.length === weekdays.length) return shift;
  // A place that has only days on which nobody works is visited on any workday.
  if (!days.weekdays.some((day) => isWorked(day, shift.calendar.work))) return shift;
  let next = shift;
  for (;;) {
    const day = dayOf(next.time, shift.calendar);
    if (days.weekdays.includes(day.weekday)) return next;
    next = nextMorning(day);
  }
}

/** The shift itself, or the opening of the first workday that is not before the day. */
function fromDay(shift: Shift, firstDay: string | null | undefined): Shift {
  if (!firstDay || dayOf(shift.time, shift.calendar).date >= firstDay) return shift;
  // This hour of UTC lies on the same day in all of Brazil.
  const day = dayOf(Date.parse(`${firstDay}T15:00:00Z`), shift.calendar);
  return day.isWorkday ? { time: day.opening, drivenMs: 0, calendar: shift.calendar } : nextMorning(day);
}

/** The same time of day, so many workdays later. */
function rest(shift: Shift, days: number): Shift {
  let day = dayOf(shift.time, shift.calendar);
  const sinceNoon = shift.time - day.noon;
  for (let left = days; left > 0; left -= Number(day.isWorkday)) day = dayAfter(day);
  return { ...shift, time: day.noon + sinceNoon };
}

/** After a leg by courier, which pauses at night and once the day's driving is done. */
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

/** After a leg by line-haul, which moves on business days only. The courier at its end has not driven yet that day. */
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
  /** When the package left for its delivery. */
  leftAt: Date | undefined;
  /** The carrier's working hours when the order came; the standard ones where they are not known. */
  hours: ClockHours | null;
}

export interface DeliveryWindow {
  from: Date;
  to: Date;
}

/**
 * Hours of a planned delivery: four whole ones within working hours, most of them after the ETA, as couriers are late
 * rather than early. Undefined once they are over, and for a package that left for its delivery on another day.
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
  // A change of address may have planned it in hours of a later calendar.
  const isWithin = eta.getTime() >= opening && eta.getTime() < closing;
  const from = isWithin ? Math.max(opening, Math.min(hour, closing - WINDOW_MS)) : hour;
  const to = isWithin ? Math.min(from + WINDOW_MS, closing) : from + WINDOW_MS;
  const window = { from: new Date(from), to: new Date(to) };
  const isOtherDay = leftAt && dayOf(leftAt.getTime(), calendar).date !== date;
  return window.to <= now || isOtherDay ? undefined : window;
}
