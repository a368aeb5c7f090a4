import type { Place } from '../base/place.js';
import { spreadMetres } from './places/accuracy.js';
import type { Distances, LegTable } from './ports.js';

type Position = Pick<Place, 'latitude' | 'longitude'>;

const EARTH_RADIUS_METRES = 6_371_008.8;
const RADIANS = Math.PI / 180;

/**
 * Road metres per straight metre: the mean over all directions of a street grid. In Brazil the factor is 1.2 to 1.4.
 */
const ROAD_FACTOR = 4 / Math.PI;

// Fitted by lab/bench/priced-km.ts. With k addresses in a cell, each lies `OFF · accuracy / √(k + FEW)` metres off its
// place.
const OFF = 0.83;
const FEW = 0.75;
/** Within this multiple of an address's accuracy, most other addresses belong to the same cell. */
const REACH = 3;

/** Speeds by distance. A longer leg leads over faster roads: streets, then avenues, ring roads, highways. */
const bands: readonly (readonly [untilMetres: number, kmPerHour: number])[] = [
  [5_000, 25],
  [25_000, 40],
  [100_000, 60],
  [Number.POSITIVE_INFINITY, 70],
];

export const embeddedDistances: Distances = { table: async (places) => greatCircleTable(places) };

/**
 * Expected road metres between places, each of another address. Coordinates may stand for a cell, a street or a city.
 * The distance of the address from them counts as a dimension of its own: `√(d² + a² + b²)`. The more addresses share a
 * cell, the less it counts, so the sum of their legs grows like a tour of random points. No leg is longer than a way
 * around it. So with exact coordinates, a route over fewer stops is never longer.
 */
export const greatCircleTable = (places: readonly Place[]): LegTable => ({
  ...legTable(places, 1),
  source: 'great_circle',
});

/** Road metres between two places that no other address shares. */
export const aloneMetres = (from: Place, to: Place): number => greatCircleTable([from, to]).metres[0]?.[1] ?? 0;

/** The least metres of each leg that follow from coarse coordinates alone, as if all places had one centre. */
export const leastLegs = (places: readonly Place[]): Omit<LegTable, 'source'> => legTable(places, 0);

/** Builds the table. With `straightPart` 0 the straight distances do not count, with 1 they do. */
function legTable(places: readonly Place[], straightPart: 0 | 1) {
  const { length } = places;
  const straight = symmetric(length, (i, j) => {
    const [from, to] = [places[i], places[j]];
    return from && to ? greatCircleMetres(from, to) : 0;
  });
  const accuracies = places.map(spreadMetres);
  const squares = accuracies.map((accuracy, at) => offsetOf(accuracy, straight[at] ?? [], accuracies) ** 2);
  const metres = symmetric(length, (i, j) => {
    const way = straightPart * (straight[i]?.[j] ?? 0);
    return Math.ceil(ROAD_FACTOR * Math.sqrt(way * way + (squares[i] ?? 0) + (squares[j] ?? 0)));
  });
  return { metres, seconds: symmetric(length, (i, j) => drivingSeconds(metres[i]?.[j] ?? 0)) };
}

function symmetric(length: number, legOf: (i: number, j: number) => number): number[][] {
  const table = Array.from({ length }, () => new Array<number>(length).fill(0));
  table.forEach((row, i) => {
    for (let j = 0; j < i; j++) {
      const leg = legOf(i, j);
      row[j] = leg;
      const opposite = table[j];
      if (opposite) opposite[i] = leg;
    }
  });
  return table;
}

/**
 * Metres that an address counts off its place. `straight` has the metres to every place, including its own. A better
 * known neighbour reduces the result less: otherwise the route would get longer without that neighbour.
 */
function offsetOf(accuracy: number, straight: readonly number[], accuracies: readonly number[]): number {
  if (accuracy === 0) return 0;
  const inCell = straight.reduce((sum, metres, at) => {
    const part = Math.min(1, (accuracies[at] ?? 0) / accuracy);
    return sum + part ** 2 * Math.exp(-((metres / (REACH * accuracy)) ** 2) / 2);
  }, 0);
  return (OFF * accuracy) / Math.sqrt(inCell + FEW);
}

export function greatCircleMetres(from: Position, to: Position): number {
  const latitude = Math.sin(((to.latitude - from.latitude) * RADIANS) / 2) ** 2;
  const longitude = Math.sin(((to.longitude - from.longitude) * RADIANS) / 2) ** 2;
  const parallels = Math.cos(from.latitude * RADIANS) * Math.cos(to.latitude * RADIANS);
  return 2 * EARTH_RADIUS_METRES * Math.asin(Math.min(1, Math.sqrt(latitude + parallels * longitude)));
}

/** Driving seconds of a leg. A longer leg takes more seconds, at a higher mean speed. */
export function drivingSeconds(metres: number): number {
  let seconds = 0;
  let from = 0;
  for (const [until, kmPerHour] of bands) {
    if (metres <= from) break;
    seconds += ((Math.min(metres, until) - from) * 3.6) / kmPerHour;
    from = until;
  }
  return seconds;
}
