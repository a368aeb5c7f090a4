import type { FieldError } from '../base/errors.js';
import type { Located, Place } from '../base/place.js';
import { type AreaIndex, refusalAt, type StopKind, verdictAt } from '../carrier/areas.js';
import type { Service } from '../db/tables/prices.js';
import { joinedByRoad } from '../routing/road-networks.js';
import type { VisitDays } from '../routing/timetable.js';
import type { AccountFacts, LocatedStops } from './order-facts.js';

type Unplaced = Exclude<Located, { ok: true }>;

interface AskedStop {
  located: Located | undefined;
  kind: StopKind;
  path: string;
}

export interface PlaceFacts extends Pick<AccountFacts, 'areas'> {
  /** Index of the package that gets a new address. The areas decide about this one only. */
  movedPackage?: number | undefined;
}

/** Finds stops without a place, and stops that the carrier does not serve. Accepts stops that are not located yet. */
export function checkPlaces(
  { pickups, deliveries }: LocatedStops,
  { areas, movedPackage }: PlaceFacts,
  service: Service | undefined,
): FieldError[] {
  const errorsOf = (located: Located | undefined, path: string) =>
    located && !located.ok ? [placeError(located, `${path}.address`)] : [];
  return [
    ...pickups.flatMap((located, at) => errorsOf(located, `pickups.${at}`)),
    ...deliveries.flatMap((located, at) => errorsOf(located, `packages.${at}`)),
    ...checkAreas({ pickups, deliveries, areas }, service, movedPackage),
  ];
}

/** Finds the stops that the areas refuse. A place that was not found has an error of another check. */
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

/** The error of an address without a place, or of coordinates outside the place. */
export const placeError = ({ message, isOutside }: Unplaced, path: string): FieldError =>
  isOutside
    ? { field: `${path}.location`, code: 'contradiction', message }
    : { field: `${path}.address`, code: 'not_placed', message };

/** Replaces each stop that no road joins to the others by an error. */
export function withRoads<F extends LocatedStops>(facts: F): F {
  const deliveries = joinedByRoad([...facts.pickups, ...facts.deliveries]);
  const pickups = deliveries.splice(0, facts.pickups.length);
  return { ...facts, pickups, deliveries };
}

/** Sorts errors by the stop in their field: first the whole order, then pickups, then packages. */
export function sortByStop(errors: readonly FieldError[]): FieldError[] {
  const rankOf = ({ field }: FieldError) => {
    const [list = '', index] = field.split('.');
    return { list: ['pickups', 'packages'].indexOf(list), index: Number(index ?? 0) || 0 };
  };
  const ranked = errors.map((error) => ({ error, ...rankOf(error) }));
  return ranked.sort((a, b) => a.list - b.list || a.index - b.index).map(({ error }) => error);
}

interface PlacedStops {
  pickups: readonly { place: Place }[];
  packages: readonly { place: Place }[];
}

/** The services that are offered at all addresses of an order. */
export function servicesAt(areas: AreaIndex | undefined, { pickups, packages }: PlacedStops): readonly Service[] {
  const lists = [...pickups, ...packages].map(({ place }) => verdictAt(areas, place).terms.services);
  const [first = [], ...others] = lists;
  return first.filter((service) => others.every((list) => list.includes(service)));
}

/** The days on which couriers visit a place. Undefined if no version of the areas is in force. */
export const visitDaysBy =
  (areas: AreaIndex | undefined) =>
  (place: Place): VisitDays | undefined =>
    areas && verdictAt(areas, place).terms;
