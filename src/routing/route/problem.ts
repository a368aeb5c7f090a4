import type { RouteProblem } from '../ports.js';

export const stopCount = (problem: RouteProblem): number => problem.pickups + problem.pickupOf.length;

export const pickupOfStop = (problem: RouteProblem, stop: number): number | undefined =>
  problem.pickupOf[stop - problem.pickups];

export function isRoute(problem: RouteProblem, order: readonly number[]): boolean {
  const position = new Map(order.map((stop, index) => [stop, index]));
  const stops = stopCount(problem);
  if (order.length !== stops || position.size !== stops) return false;
  return Array.from({ length: stops }, (_, stop) => stop).every((stop) => {
    const at = position.get(stop);
    const pickup = pickupOfStop(problem, stop);
    return at !== undefined && (pickup === undefined || (position.get(pickup) ?? stops) < at);
  });
}

export const routeMetres = (problem: RouteProblem, order: readonly number[]): number =>
  order.reduce((sum, stop, at) => {
    const previous = order[at - 1];
    return previous === undefined ? sum : sum + (problem.metres[previous]?.[stop] ?? 0);
  }, 0);

export const NONE = -1;

export interface Graph {
  size: number;
  pickups: number;
  pickupOf: Int16Array<ArrayBuffer>;
  metres: Float64Array<ArrayBuffer>;
  metresInto: Float64Array<ArrayBuffer>;
}

/** Lays out a route problem for the search, in flat arrays over stop numbers. */
export function toGraph(problem: RouteProblem): Graph {
  const size = stopCount(problem);
  const pickupOf = Int16Array.from({ length: size }, (_, stop) => pickupOfStop(problem, stop) ?? NONE);
  // Metres by `from * size + to` and, in the second array, by `to * size + from`. So both directions of a stop's legs
  // lie side by side.
  const metres = new Float64Array(size * size);
  const metresInto = new Float64Array(size * size);
  problem.metres.forEach((row, from) => {
    row.forEach((leg, to) => {
      metres[from * size + to] = leg;
      metresInto[to * size + from] = leg;
    });
  });
  return { size, pickups: problem.pickups, pickupOf, metres, metresInto };
}
