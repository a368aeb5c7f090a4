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

/**
 * Straight metres between two addresses of which no more is known than one place of this precision: such that the kilometres of
 * orders to addresses left out of the tables come out true in the median (`npx tsx lab/bench/priced-km.ts`).
 */
const apart: Record<Precision, number> = { rooftop: 0, street: 200, postal_code: 350, district: 700, city: 3_000 };

/** Where a leg grows longer, its further part is driven faster: streets, avenues, ring roads, highway. */
const bands: readonly (readonly [untilMetres: number, kmPerHour: number])[] = [
  [5_000, 25],
  [25_000, 40],
  [100_000, 60],
  [Number.POSITIVE_INFINITY, 70],
];

export const embeddedDistances: Distances = { table: async (places) => greatCircleTable(places) };

/**
 * Expected road metres between places, of which each is another address. Coordinates may stand for a whole cell, a street or
 * a city: then how far off them the address lies counts as a distance in a dimension of its own, `√(d² + a² + b²)`. One of k
 * addresses of a cell counts as lying `apart / √k` off: the legs among them are equal, and their sum grows as √k does, as a
 * tour of random points (to 5 %, up to 50 points; a mean distance for every leg would grow as k).
 *
 * These are distances of a space, in metres rounded up, so no leg is longer than a way around: the shortest route over
 * fewer stops of exact coordinates is never longer. Where a cell loses an address, the legs among its others grow: of 570 000
 * packages taken from random orders of up to 11 stops that never outweighed the stop where there was one pickup, and did 38
 * times where there were up to four, by 1.1 % of the way at most.
 */
export function greatCircleTable(places: readonly Place[]): LegTable {
  return { ...legTable(places, greatCircleMetres), source: 'great_circle' };
}

/** What legs are long for no other reason than that the coordinates are coarse: those between places of one centre. */
export function leastLegs(places: readonly Place[]): Omit<LegTable, 'source'> {
  return legTable(places, () => 0);
}

function legTable(places: readonly Place[], straightMetres: (a: Place, b: Place) => number) {
  const metres = emptyTable(places.length);
  const seconds = emptyTable(places.length);
  const offsets = offsetsOf(places);
  places.forEach((from, i) => {
    for (let j = 0; j < i; j++) {
      const to = places[j];
      if (to === undefined) continue;
      const straight = Math.hypot(straightMetres(from, to), offsets[i] ?? 0, offsets[j] ?? 0);
      const leg = Math.ceil(ROAD_FACTOR * straight);
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
  return { metres, seconds };
}

/** Straight metres by which each address is taken to lie off its coordinates. */
function offsetsOf(places: readonly Place[]): number[] {
  const cells = places.map(({ latitude, longitude, precision }) => `${latitude} ${longitude} ${precision}`);
  const sizes = new Map<string, number>();
  for (const cell of cells) sizes.set(cell, (sizes.get(cell) ?? 0) + 1);
  return places.map(({ precision }, at) => apart[precision] / Math.sqrt(sizes.get(cells[at] ?? '') ?? 1));
}

function emptyTable(size: number): number[][] {
  return Array.from({ length: size }, () => new Array<number>(size).fill(0));
}

/** Metres along the surface of the earth. */
export function greatCircleMetres(from: Position, to: Position): number {
  const latitude = Math.sin(((to.latitude - from.latitude) * RADIANS) / 2) ** 2;
  const longitude = Math.sin(((to.longitude - from.longitude) * RADIANS) / 2) ** 2;
  const parallels = Math.cos(from.latitude * RADIANS) * Math.cos(to.latitude * RADIANS);
  return 2 * EARTH_RADIUS_METRES * Math.asin(Math.min(1, Math.sqrt(latitude + parallels * longitude)));
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
