import type { FieldError } from '../base/errors.js';
import type { Located, Place } from '../base/place.js';
import { type AreaIndex, refusalAt, type StopKind, verdictAt } from '../carrier/areas.js';
import type { Service } from '../db/tables/prices.js';
import type { VisitDays } from '../routing/timetable.js';
import type { LocatedStops } from './order-facts.js';

interface AskedStop {
  located: Located | undefined;
  kind: StopKind;
  path: string;
}

/** Finds the stops that the areas refuse. A place that was not found has an error of its own. */
export function checkAreas(
  { areas, pickups, deliveries }: LocatedStops & { areas: AreaIndex | undefined },
  service: Service | undefined,
  movedPackage?: number,
): FieldError[] {
  if (!areas) return [];
  const stops: AskedStop[] = [
    ...pickups.map((located, at): AskedStop => ({ located, kind: 'pickup', path: `pickups.${at}` })),
    ...deliveries.map((located, at): AskedStop => ({ located, kind: 'delivery', path: `packages.${at}` })),
  ];
  const asked = movedPackage === undefined ? stops : stops.slice(pickups.length + movedPackage).slice(0, 1);
  return asked.flatMap(({ located, kind, path }): FieldError[] => {
    if (!located?.ok) return [];
    const refusal = refusalAt(verdictAt(areas, located.place), kind, located.place, service);
    return refusal ? [{ field: `${path}.address.address`, ...refusal }] : [];
  });
}

interface PlacedStops {
  pickups: readonly { place: Place }[];
  packages: readonly { place: Place }[];
}

/** The services that all addresses of an order have. */
export function servicesAt(areas: AreaIndex | undefined, { pickups, packages }: PlacedStops): readonly Service[] {
  const lists = [...pickups, ...packages].map(({ place }) => verdictAt(areas, place).terms.services);
  const [first = [], ...others] = lists;
  return first.filter((service) => others.every((list) => list.includes(service)));
}

/** When couriers are at a place; undefined where no version says so. */
export const visitDaysBy =
  (areas: AreaIndex | undefined) =>
  (place: Place): VisitDays | undefined =>
    areas && verdictAt(areas, place).terms;
