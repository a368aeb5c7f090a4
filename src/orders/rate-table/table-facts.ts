import type { Place } from '../../base/place.js';
import type { AreaIndex } from '../../carrier/areas.js';
import type { RateCard } from '../../carrier/rate-cards.js';
import type { Service } from '../../db/tables/prices.js';
import type { WorkCalendar } from '../../routing/calendar.js';

export interface TableFacts {
  card: RateCard;
  areas: AreaIndex | undefined;
  calendar: WorkCalendar | undefined;
  pickup: Place;
  service: Service;
  /** Upper bounds of the bands of billable weight in grams, ascending. */
  weights: readonly number[];
  now: Date;
}
