/**
 * # Places, routes and times
 *
 * ## Who takes part
 *
 * - A geocoder places addresses (places/, address/), a table of distances joins the places, and a solver orders the
 *   stops (route/). ports.ts names the three. Each has an embedded part; remote/ asks Nominatim, OSRM or VROOM instead.
 * - timetable.ts and calendar.ts turn a route into times: the carrier's working hours, weekends, days off.
 *
 * ## Promises
 *
 * - The same stops, moment and calendar give the same route, prices and times, as long as the embedded parts answer.
 * - A remote service that fails or is slow never fails an order: the embedded part answers in its place.
 * - Long searches share the event loop with other accounts, slice by slice.
 *
 * Not promised: the shortest route of many stops, or a street's exact position. The answer says how sure it is
 * (`accuracy_metres`). This room knows no database and no account.
 */
import type { Place } from '../base/place.js';
import { embeddedGeocoder } from './address/embedded-geocoder.js';
import { calendarAt, collectionFrom, type WorkCalendar } from './calendar.js';
import { aloneMetres, embeddedDistances } from './embedded-distances.js';
import { readPlaces } from './places/city-places.js';
import type { Distances, Geocoder, LegTable, RouteProblem, RouteSolver } from './ports.js';
import { type PlanningLog, type PlanningWatcher, withFallback } from './remote/fallback.js';
import { createNominatim } from './remote/nominatim.js';
import { createOsrm } from './remote/osrm.js';
import { createVroom } from './remote/vroom.js';
import { embeddedSolver } from './route/embedded-solver.js';
import { type VisitDays, waypointsAlong } from './timetable.js';
import { type RouteStops, toVisits } from './visits.js';

export interface Planning {
  geocoder: Geocoder;
  distances: Distances;
  solver: RouteSolver;
}

interface PlanningOptions {
  geocoderUrl?: string | undefined;
  osrmUrl?: string | undefined;
  vroomUrl?: string | undefined;
  log: PlanningLog;
  watcher?: PlanningWatcher;
}

export type RoutePlan = Awaited<ReturnType<typeof planRoute>>;

/** Creates the planning. A service whose URL is configured is asked first; the embedded part answers when it fails. */
export function createPlanning({ geocoderUrl, osrmUrl, vroomUrl, log, watcher }: PlanningOptions): Planning {
  const ask = (service: string) => withFallback({ service, log, watcher });
  readPlaces();
  return {
    geocoder: geocoderUrl === undefined ? embeddedGeocoder : createNominatim(geocoderUrl, ask('geocoder')),
    distances: osrmUrl === undefined ? embeddedDistances : createOsrm(osrmUrl, ask('OSRM')),
    solver: vroomUrl === undefined ? embeddedSolver : createVroom(vroomUrl, ask('VROOM')),
  };
}

interface RouteOptions {
  /** The account in whose turns the search runs. */
  owner?: string;
  /** The days on which couriers visit a place. Undefined means every workday. */
  visitDays?: (place: Place) => VisitDays | undefined;
  /** The carrier's working time. Default: the standard one. */
  calendar?: WorkCalendar | undefined;
  /** The time from which the packages can be collected. Default: at once. */
  readyAt?: Date | null | undefined;
}

/** Plans one route over all stops. It begins at any pickup, as soon as a courier can be there. Throws RangeError. */
export async function planRoute(
  planning: Planning,
  stops: RouteStops,
  orderedAt: Date,
  { owner, visitDays, calendar, readyAt }: RouteOptions = {},
) {
  const { pickups, deliveries } = stops;
  const stray = deliveries.find(({ pickupIndex }) => pickups[pickupIndex] === undefined);
  if (stray !== undefined) throw new RangeError(`there is no pickup ${stray.pickupIndex}`);
  const { places, placeOf, stopsOf, ...visits } = toVisits(stops);
  const table = await planning.distances.table(places);
  const calendars = [...pickups, ...deliveries].map(({ place }) => calendarAt(place, calendar));
  const ready = readyAt?.getTime() ?? 0;
  const notBefore = calendars
    .slice(0, pickups.length)
    .map((local) => Math.max(collectionFrom(orderedAt, local), ready));
  const firstDays = [...pickups.map(() => null), ...deliveries.map(({ firstDay }) => firstDay)];
  const days = [...pickups, ...deliveries].map(({ place }) => visitDays?.(place));
  const metres = among(placeOf, table.metres);
  const legs = { metres, seconds: among(placeOf, table.seconds), calendars, notBefore, days, firstDays };
  const firstStops = stopsOf.map(([first = 0]) => first);
  const problem = { ...visits, metres: among(firstStops, legs.metres) };
  const { order, solver } = await planning.solver.solve(problem, owner);
  const stopOrder = order.flatMap((visit) => stopsOf[visit] ?? []);
  const restingDays = (days: number) => {
    const waypoints = waypointsAlong(stopOrder, pickups.length, legs, days);
    return { pickups: waypoints.slice(0, pickups.length), deliveries: waypoints.slice(pickups.length) };
  };
  return {
    ...restingDays(0),
    totalMetres: wholeMetres(problem, order),
    /** Metres from the pickup of each delivery to the delivery, independent of the other stops of the order. */
    directMetres: deliveries.map(({ pickupIndex }, at) => {
      const [from, to] = [placeOf[pickupIndex] ?? 0, placeOf[pickups.length + at] ?? 0];
      return directMetres(places, table, from, to);
    }),
    distanceSource: table.source,
    solver,
    /**
     * The waypoints, in the order of the given stops, if the packages rest for `days` workdays before the first
     * delivery.
     */
    restingDays,
    /** Metres of a route over only some of the deliveries and their pickups. */
    metresOver: async (some: readonly number[]): Promise<number> => {
      const served = new Set(some.map((delivery) => pickups.length + delivery));
      const part = partOf(problem, (visit) => stopsOf[visit]?.some((stop) => served.has(stop)) ?? false);
      const isWhole = part.metres.length === order.length;
      return wholeMetres(part, isWhole ? order : (await planning.solver.solve(part, owner)).order);
    },
  };
}

/**
 * Metres of a delivery on its own. The embedded table shortens legs within a shared cell, which must not change the
 * zone.
 */
function directMetres(places: readonly Place[], { metres, source }: LegTable, from: number, to: number): number {
  const [start, end] = [places[from], places[to]];
  if (from === to || !start || !end) return 0;
  return source === 'great_circle' ? aloneMetres(start, end) : Math.round(metres[from]?.[to] ?? 0);
}

/** The route problem of only the kept deliveries and their pickups. */
function partOf({ pickups, pickupOf, metres }: RouteProblem, isKept: (visit: number) => boolean): RouteProblem {
  const deliveries = pickupOf.flatMap((pickup, at) => (isKept(pickups + at) ? { visit: pickups + at, pickup } : []));
  const kept = [...new Set(deliveries.map(({ pickup }) => pickup))].sort((a, b) => a - b);
  return {
    pickups: kept.length,
    pickupOf: deliveries.map(({ pickup }) => kept.indexOf(pickup)),
    metres: among([...kept, ...deliveries.map(({ visit }) => visit)], metres),
  };
}

/** Metres of a route: the sum of its legs, each rounded to whole metres as in the answer. */
const wholeMetres = ({ metres }: RouteProblem, order: readonly number[]): number =>
  order.reduce((sum, visit, at) => sum + Math.round(metres[order[at - 1] ?? visit]?.[visit] ?? 0), 0);

const among = (numbers: readonly number[], table: readonly (readonly number[])[]): number[][] =>
  numbers.map((from) => numbers.map((to) => table[from]?.[to] ?? 0));
