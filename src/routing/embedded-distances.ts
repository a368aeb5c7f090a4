import type { Place } from '../base/place.js';
import { usualAccuracy } from './places/accuracy.js';
import type { Distances, LegTable } from './ports.js';

type Position = Pick<Place, 'latitude' | 'longitude'>;

const EARTH_RADIUS_METRES = 6_371_008.8;
const RADIANS = Math.PI / 180;

/** Road metres per straight metre: the mean of all directions on a street grid. Brazil's detours are 1.2 to 1.4. */
const ROAD_FACTOR = 4 / Math.PI;

/** The part of its accuracy by which an address lies off its place in a leg, fitted by lab/bench/priced-km.ts. */
const OFF = 0.7;

/** The further part of a longer leg is driven faster: streets, avenues, ring roads, highway. */
const bands: readonly (readonly [untilMetres: number, kmPerHour: number])[] = [
  [5_000, 25],
  [25_000, 40],
  [100_000, 60],
  [Number.POSITIVE_INFINITY, 70],
];

export const embeddedDistances: Distances = { table: async (places) => greatCircleTable(places) };

/**
 * Expected road metres between places, each another address. Coordinates may stand for a cell, a street or a city: the
 * distance of the address from them counts in a dimension of its own, `√(d² + a² + b²)`. One of k
 * addresses of a cell lies `a / √k` off, so the sum of their legs grows as √k, like a tour of random points.
 * No leg is longer than a way around it, so a route over fewer stops of exact coordinates is never longer.
 */
export const greatCircleTable = (places: readonly Place[]): LegTable => ({
  ...legTable(places, greatCircleMetres),
  source: 'great_circle',
});

/** Road metres between two places that no other address shares. */
export const aloneMetres = (from: Place, to: Place): number => greatCircleTable([from, to]).metres[0]?.[1] ?? 0;

/** Least lengths of legs, due to coarse coordinates alone: those between places of one centre. */
export const leastLegs = (places: readonly Place[]): Omit<LegTable, 'source'> => legTable(places, () => 0);

function legTable(places: readonly Place[], straightMetres: (a: Place, b: Place) => number) {
  const offsets = offsetsOf(places);
  const metres = symmetric(places, (from, to, i, j) =>
    Math.ceil(ROAD_FACTOR * Math.hypot(straightMetres(from, to), offsets[i] ?? 0, offsets[j] ?? 0)),
  );
  return { metres, seconds: symmetric(places, (_from, _to, i, j) => drivingSeconds(metres[i]?.[j] ?? 0)) };
}

function symmetric(places: readonly Place[], legOf: (from: Place, to: Place, i: number, j: number) => number) {
  const table = places.map(() => new Array<number>(places.length).fill(0));
  places.forEach((from, i) => {
    for (let j = 0; j < i; j++) {
      const [to, row, opposite] = [places[j], table[i], table[j]];
      if (to && row && opposite) row[j] = opposite[i] = legOf(from, to, i, j);
    }
  });
  return table;
}

function offsetsOf(places: readonly Place[]): number[] {
  const cells = places.map((place) => `${place.latitude} ${place.longitude} ${accuracyOfPlace(place)}`);
  const sizes = new Map<string, number>();
  for (const cell of cells) sizes.set(cell, (sizes.get(cell) ?? 0) + 1);
  return places.map((place, at) => (OFF * accuracyOfPlace(place)) / Math.sqrt(sizes.get(cells[at] ?? '') ?? 1));
}

const accuracyOfPlace = ({ accuracyMetres, precision }: Place): number => accuracyMetres ?? usualAccuracy[precision];

export function greatCircleMetres(from: Position, to: Position): number {
  const latitude = Math.sin(((to.latitude - from.latitude) * RADIANS) / 2) ** 2;
  const longitude = Math.sin(((to.longitude - from.longitude) * RADIANS) / 2) ** 2;
  const parallels = Math.cos(from.latitude * RADIANS) * Math.cos(to.latitude * RADIANS);
  return 2 * EARTH_RADIUS_METRES * Math.asin(Math.min(1, Math.sqrt(latitude + parallels * longitude)));
}

/** Driving seconds of a leg; they grow with it, ever more slowly. */
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
