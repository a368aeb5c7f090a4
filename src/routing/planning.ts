import { embeddedGeocoder } from './address/embedded-geocoder.js';
import { embeddedDistances } from './embedded-distances.js';
import { readPlaces } from './places/city-places.js';
import type { Distances, Geocoder, RouteSolver } from './ports.js';
import { type PlanningLog, type PlanningWatcher, withFallback } from './remote/fallback.js';
import { createNominatim } from './remote/nominatim.js';
import { createOsrm } from './remote/osrm.js';
import { createVroom } from './remote/vroom.js';
import { embeddedSolver } from './route/embedded-solver.js';
import { waypointsAlong } from './timetable.js';
import { type RouteStops, toVisits } from './visits.js';

export interface Planning {
  geocoder: Geocoder;
  distances: Distances;
  solver: RouteSolver;
}

interface PlanningOptions {
  geocoderUrl?: string;
  osrmUrl?: string;
  vroomUrl?: string;
  log: PlanningLog;
  watcher?: PlanningWatcher;
}

/** Places of the order's stops in the route; both lists are in the order of the stops. */
export type RoutePlan = Awaited<ReturnType<typeof planRoute>>;

/** Embedded planning; a service whose URL is configured is asked first, and the embedded part stands in for it. */
export function createPlanning({ geocoderUrl, osrmUrl, vroomUrl, log, watcher }: PlanningOptions): Planning {
  const ask = (service: string) => withFallback({ service, log, watcher });
  readPlaces();
  return {
    geocoder: geocoderUrl === undefined ? embeddedGeocoder : createNominatim(geocoderUrl, ask('geocoder')),
    distances: osrmUrl === undefined ? embeddedDistances : createOsrm(osrmUrl, ask('OSRM')),
    solver: vroomUrl === undefined ? embeddedSolver : createVroom(vroomUrl, ask('VROOM')),
  };
}

/** One route over all stops, begun at any pickup. The search takes the turns of `owner`. Throws RangeError. */
export async function planRoute(planning: Planning, stops: RouteStops, departAt: Date, owner?: string) {
  const { pickups, deliveries } = stops;
  const stray = deliveries.find(({ pickupIndex }) => pickups[pickupIndex] === undefined);
  if (stray !== undefined) throw new RangeError(`there is no pickup ${stray.pickupIndex}`);
  const { places, placeOf, stopsOf, ...visits } = toVisits(stops);
  const table = await planning.distances.table(places);
  const legs = { ...table, metres: among(placeOf, table.metres), seconds: among(placeOf, table.seconds) };
  const firstStops = stopsOf.map(([first = 0]) => first);
  const { order, solver } = await planning.solver.solve({ ...visits, metres: among(firstStops, legs.metres) }, owner);
  const stopOrder = order.flatMap((visit) => stopsOf[visit] ?? []);
  const waypoints = waypointsAlong(stopOrder, pickups.length, legs, departAt);
  return {
    pickups: waypoints.slice(0, pickups.length),
    deliveries: waypoints.slice(pickups.length),
    totalMetres: waypoints.reduce((sum, { legDistance }) => sum + legDistance, 0),
    distanceSource: table.source,
    solver,
  };
}

const among = (numbers: readonly number[], table: readonly (readonly number[])[]): number[][] =>
  numbers.map((from) => numbers.map((to) => table[from]?.[to] ?? 0));
