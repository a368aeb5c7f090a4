import type { Place } from '../../base/place.js';
import type { Distances, LegTable } from '../ports.js';
import { expectedRoadMetres } from './great-circle.js';
import { drivingSeconds } from './travel-time.js';

function emptyTable(size: number): number[][] {
  return Array.from({ length: size }, () => new Array<number>(size).fill(0));
}

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

export const embeddedDistances: Distances = { table: async (places) => greatCircleTable(places) };
