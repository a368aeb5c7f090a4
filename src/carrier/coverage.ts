import type { Located } from '../base/place.js';
import { type Weekday, weekdays } from '../base/weekdays.js';
import type { AreaTerms } from '../db/tables/areas.js';
import type { Service } from '../db/tables/prices.js';
import { isWorked, type WorkCalendar } from '../routing/calendar.js';
import { joinedByRoad } from '../routing/road-networks.js';
import { type AreaIndex, type RefusalCode, refusalAt, verdictAt } from './areas.js';
import type { CoverageFacts } from './areas-versions.js';

export interface CoverageAnswer extends AreaTerms {
  /** Undefined if the place was not found. */
  city?: string;
  state?: string;
  isServed: boolean;
  refusal?: { code: RefusalCode | 'not_placed'; message: string };
}

/**
 * Tells whether and how the carrier serves a place. With a pickup, it tells that for packages from there. It uses the
 * same places, roads and areas as orders.
 */
export function coverageOf(
  { areas, work, hasEconomy }: CoverageFacts,
  delivery: Located,
  pickup: Located | undefined,
): CoverageAnswer {
  if (!delivery.ok) return unknownPlace(delivery.message);
  const { city, state } = delivery.place;
  const { terms } = verdictAt(areas, delivery.place);
  const sold: readonly Service[] = hasEconomy ? ['express', 'economy'] : ['express'];
  const offered = sold.filter((service) => offersBoth(areas, service, delivery, pickup));
  const refusal = refusalOf(areas, offered, delivery, pickup);
  const services = refusal ? [] : [...offered];
  const days = visitDaysOf(terms, work);
  return { ...terms, weekdays: days, city, state, services, isServed: !refusal, ...(refusal && { refusal }) };
}

/** Weekdays on which couriers visit a place. If they never work on the days of its area, they come on any workday. */
function visitDaysOf(terms: AreaTerms, work: WorkCalendar): Weekday[] {
  if (!terms.collects && !terms.delivers) return [];
  const own = terms.weekdays.filter((day) => isWorked(day, work));
  return own.length > 0 ? own : weekdays.filter((day) => isWorked(day, work));
}

const unknownPlace = (message: string): CoverageAnswer => ({
  ...{ isServed: false, collects: false, delivers: false, services: [], weekdays: [], extraWorkdays: 0 },
  refusal: { code: 'not_placed', message },
});

type Found = Located & { ok: true };

function offersBoth(areas: AreaIndex | undefined, service: Service, delivery: Found, pickup?: Located): boolean {
  const stops = pickup?.ok ? [delivery, pickup] : [delivery];
  return stops.every(({ place }) => verdictAt(areas, place).terms.services.includes(service));
}

function refusalOf(
  areas: AreaIndex | undefined,
  offered: readonly Service[],
  delivery: Found,
  pickup: Located | undefined,
): CoverageAnswer['refusal'] {
  const ends = pickup ? joinedByRoad([pickup, delivery]) : [delivery];
  const unplaced = ends.find((end) => end?.ok === false);
  if (unplaced?.ok === false) return { code: 'not_placed', message: unplaced.message };
  const fromPickup = pickup?.ok
    ? refusalAt(verdictAt(areas, pickup.place), 'pickup', pickup.place, undefined)
    : undefined;
  const refusal = fromPickup ?? refusalAt(verdictAt(areas, delivery.place), 'delivery', delivery.place, undefined);
  if (refusal || offered.length > 0) return refusal;
  return { code: 'not_offered', message: 'The carrier has no service that both places have.' };
}
