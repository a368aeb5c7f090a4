import type { Db } from '../db/connect.js';
import { calendarAt, type WorkCalendar } from '../routing/calendar.js';
import { firstCollection } from '../routing/timetable.js';
import { type Calendar, currentCalendar, demandCalendar, workCalendarOf } from './calendars.js';
import { newestOrders, type StoredStop, stopsOfOrders } from './newest-orders.js';

/** A pickup at which couriers would come at another time. */
export interface MovedPickup {
  index: number;
  place: StoredStop['place'];
  currentFrom: Date;
  newFrom: Date;
}

export interface MovedOrder {
  id: string;
  externalId: string | null;
  createdAt: Date;
  pickups: MovedPickup[];
}

export interface CalendarPreview {
  orderCount: number;
  /** Newest first. */
  moved: MovedOrder[];
}

/**
 * Compares the times at which couriers could collect the 100 newest orders: by the calendar in force, and by a new one.
 * Writes nothing. Throws VALIDATION_ERROR as `addCalendar` does.
 */
export async function previewCalendar(db: Db, calendar: Calendar): Promise<CalendarPreview> {
  await demandCalendar(calendar);
  const { hours, closed } = await currentCalendar(db);
  const [current, next] = [workCalendarOf({ ...hours, closed }), workCalendarOf(calendar)];
  const orders = await newestOrders(db);
  const ids = orders.map(({ id }) => id);
  const stops = await stopsOfOrders(db, ids);
  const moved = orders.map(({ id, externalId, createdAt, readyAt }) => {
    const stopsOfOrder = (stops.get(id) ?? []).filter(({ kind }) => kind === 'pickup');
    const pickups = stopsOfOrder.flatMap(({ position: index, place }) => {
      const from = (work: WorkCalendar) => firstCollection(createdAt, readyAt, calendarAt(place, work));
      const [currentFrom, newFrom] = [from(current), from(next)];
      return currentFrom.getTime() === newFrom.getTime() ? [] : [{ index, place, currentFrom, newFrom }];
    });
    return { id, externalId, createdAt, pickups };
  });
  return { orderCount: orders.length, moved: moved.filter(({ pickups }) => pickups.length > 0) };
}
