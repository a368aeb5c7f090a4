import type { Place, Precision } from '../base/place.js';
import type { Distances, LegTable } from './ports.js';

type Position = Pick<Place, 'latitude' | 'longitude'>;

const EARTH_RADIUS_METRES = 6_371_008.8;
const RADIANS = Math.PI / 180;

/**
 * Road metres per straight metre: 4/π, the mean over all directions on a street grid. Measured road detours of Brazil,
 * in cities and between them, lie about it (1.2 to 1.4).
 */
const ROAD_FACTOR = 4 / Math.PI;

/** Mean distance between two random points of a square, in sides. */
const MEAN_IN_SQUARE = 0.5214;

/**
 * Side, in metres, of the square in which a place of each precision is taken to lie: a building, a street of some
 * blocks, the quarter of one CEP, a district of 16 km² (the mean of São Paulo's 96), a built-up area of 64 km².
 */
const side: Record<Precision, number> = { rooftop: 0, street: 500, postal_code: 1_000, district: 4_000, city: 8_000 };

/** Where a leg grows longer, its further part is driven faster: streets, avenues, ring roads, highway. */
const bands: readonly (readonly [untilMetres: number, kmPerHour: number])[] = [
  [5_000, 25],
  [25_000, 40],
  [100_000, 60],
  [Number.POSITIVE_INFINITY, 70],
];

export const embeddedDistances: Distances = { table: async (places) => greatCircleTable(places) };

/** Legs by great circle and road factor; symmetric, and 0 only from a stop to itself. */
export function greatCircleTable(places: readonly Place[]): LegTable {
  const metres = emptyTable(places.length);
  const seconds = emptyTable(places.length);
  places.forEach((from, i) => {
    for (let j = 0; j < i; j++) {
      const to = places[j];
      if (to === undefined) continue;
      const leg = expectedRoadMetres(from, to);
      const time = drivingSeconds(leg);
      for (const [row, column] of [
        [i, j],
        [j, i],
      ] as const) {
        const metreRow = metres[row];
        const secondRow = seconds[row];
        if (metreRow) metreRow[column] = leg;
        if (secondRow) secondRow[column] = time;
      }
    }
  });
  return { metres, seconds, source: 'great_circle' };
}

function emptyTable(size: number): number[][] {
  return Array.from({ length: size }, () => new Array<number>(size).fill(0));
}

/** Expected road metres: the great circle and the coarseness of both places, which add as independent distances do. */
function expectedRoadMetres(a: Place, b: Place): number {
  return ROAD_FACTOR * Math.hypot(greatCircleMetres(a, b), spread(a.precision, b.precision));
}

/** Road metres to expect between two places that share their coordinates; 0 only between two of the same building. */
export function leastRoadMetres(a: Place, b: Place): number {
  return ROAD_FACTOR * spread(a.precision, b.precision);
}

/** Metres along the surface of the earth. */
export function greatCircleMetres(from: Position, to: Position): number {
  const latitude = Math.sin(((to.latitude - from.latitude) * RADIANS) / 2) ** 2;
  const longitude = Math.sin(((to.longitude - from.longitude) * RADIANS) / 2) ** 2;
  const parallels = Math.cos(from.latitude * RADIANS) * Math.cos(to.latitude * RADIANS);
  return 2 * EARTH_RADIUS_METRES * Math.asin(Math.min(1, Math.sqrt(latitude + parallels * longitude)));
}

/** Straight metres to expect between two places for no other reason than that their coordinates are coarse. */
function spread(a: Precision, b: Precision): number {
  return MEAN_IN_SQUARE * Math.sqrt((side[a] ** 2 + side[b] ** 2) / 2);
}

/** Driving seconds for a leg of so many road metres; grows with the leg, ever more slowly. */
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
