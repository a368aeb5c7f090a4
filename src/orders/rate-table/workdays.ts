import { DAY_MS } from '../../base/clock.js';
import type { Place } from '../../base/place.js';
import { calendarAt, collectionFrom, dayOf, promisedDate } from '../../routing/calendar.js';
import { drivingSeconds } from '../../routing/embedded-distances.js';
import { type VisitDays, waypointsAlong } from '../../routing/timetable.js';
import type { TableFacts } from './table-facts.js';

/** Count of consecutive days whose orders are timed, because couriers visit some places only on some weekdays. */
const DAYS = 7;
/** Metres within which distances count as equal. Such a difference rarely moves an arrival to another day. */
const STEP = 5_000;

type Facts = Pick<TableFacts, 'card' | 'calendar' | 'pickup' | 'service' | 'now'> & {
  visitDays: (place: Place) => VisitDays | undefined;
};

/**
 * Counts the workdays from the day of an order to its delivery: the most of orders on the mornings of a week. Places of
 * one municipality at about the same distance take equally long.
 */
export function workdaysBetween({ card, calendar, pickup, service, now, visitDays }: Facts) {
  const restDays = service === 'economy' ? (card.zones?.economyDays ?? 0) : 0;
  const from = calendarAt(pickup, calendar);
  const known = new Map<string, number>();
  const orders = Array.from({ length: DAYS }, (_, at) => dayOf(now.getTime() + (at + 1) * DAY_MS, from))
    .filter(({ isWorkday }) => isWorkday)
    .map(({ opening }) => new Date(opening));

  function takes(place: Place, metres: number, ordered: Date): number {
    const to = calendarAt(place, calendar);
    const legs = {
      metres: [
        [0, metres],
        [metres, 0],
      ],
      seconds: [
        [0, drivingSeconds(metres)],
        [drivingSeconds(metres), 0],
      ],
      calendars: [from, to],
      notBefore: [collectionFrom(ordered, from)],
      days: [visitDays(pickup), visitDays(place)],
      firstDays: [null, null],
    };
    const [, delivery] = waypointsAlong([0, 1], 1, legs, restDays);
    if (!delivery) throw new Error('the delivery has no waypoint');
    const end = promisedDate(delivery.eta);
    let count = 0;
    for (let day = dayOf(ordered.getTime() + DAY_MS, to); day.date <= end; day = dayOf(day.noon + DAY_MS, to))
      count += Number(day.isWorkday);
    return count;
  }

  return (place: Place, metres: number): number => {
    const terms = visitDays(place);
    const key = JSON.stringify([
      place.city,
      place.state,
      Math.ceil(metres / STEP),
      terms?.weekdays,
      terms?.extraWorkdays,
    ]);
    const found =
      known.get(key) ?? Math.max(...orders.map((ordered) => takes(place, Math.ceil(metres / STEP) * STEP, ordered)));
    known.set(key, found);
    return found;
  };
}
