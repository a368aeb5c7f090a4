import { type Graph, NONE } from './problem.js';

/** Most stops for which the best route is computed exactly. Each further stop doubles the work. */
export const EXACT_LIMIT = 12;

const requirements = ({ size, pickupOf }: Graph): Int32Array =>
  Int32Array.from({ length: size }, (_, stop) => {
    const pickup = pickupOf[stop] ?? NONE;
    return pickup === NONE ? 0 : 1 << pickup;
  });

/**
 * Finds the shortest open path that keeps the order: the dynamic programme of Held and Karp over (visited stops, last
 * stop).
 */
export function exactRoute(graph: Graph): number[] {
  const { size, metres } = graph;
  const needs = requirements(graph);
  const best = new Float64Array(size << size).fill(Number.POSITIVE_INFINITY);
  const cameFrom = new Int8Array(size << size);
  for (let stop = 0; stop < size; stop++) if (needs[stop] === 0) best[(1 << stop) * size + stop] = 0;
  for (let set = 1; set < 1 << size; set++) {
    for (let last = 0; last < size; last++) {
      const so = best[set * size + last] ?? 0;
      if (so === Number.POSITIVE_INFINITY) continue;
      for (let next = 0; next < size; next++) {
        const need = needs[next] ?? 0;
        if ((set >> next) & 1 || (set & need) !== need) continue;
        const state = (set | (1 << next)) * size + next;
        const total = so + (metres[last * size + next] ?? 0);
        if (total >= (best[state] ?? 0)) continue;
        best[state] = total;
        cameFrom[state] = last;
      }
    }
  }
  return walkBack(best, cameFrom, size);
}

function walkBack(best: Float64Array, cameFrom: Int8Array, size: number): number[] {
  let set = (1 << size) - 1;
  let last = 0;
  for (let stop = 1; stop < size; stop++)
    if ((best[set * size + stop] ?? 0) < (best[set * size + last] ?? 0)) last = stop;
  const route: number[] = [];
  while (set !== 0) {
    route.unshift(last);
    const previous = cameFrom[set * size + last] ?? 0;
    set &= ~(1 << last);
    last = previous;
  }
  return route;
}
