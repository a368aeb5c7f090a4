import { appendStop, emptyPath, insertStop, type Path, totalMetres } from './insertion.js';
import { type Graph, NONE } from './problem.js';

/** Least and most stops that are taken out of the path at a time. */
const MIN_REMOVED = 2;
const MAX_REMOVED = 10;
/** Chance that a pickup leaves the path together with its deliveries. Deliveries that stay would hold it in place. */
const GROUP_CHANCE = 0.1;
/** First and last temperature of the annealing. The unit is the mean leg of the first path. */
const HOT = 1;
const COLD = 0.005;
const ROUNDS_AT_ONCE = 16;

/** Marks the stops to take out: one or two strings of the path, and sometimes a pickup with its deliveries. */
function mark(graph: Graph, { stops }: Path, out: Uint8Array, random: () => number): void {
  const { size, pickups, pickupOf } = graph;
  out.fill(0);
  const max = Math.min(MAX_REMOVED, size >> 1);
  const count = MIN_REMOVED + Math.floor(random() * (max - MIN_REMOVED + 1));
  const strings = random() < 0.5 ? 1 : 2;
  const length = Math.ceil(count / strings);
  for (let string = 0; string < strings; string++) {
    const from = Math.floor(random() * (size - length + 1));
    for (let at = from; at < from + length; at++) out[stops[at] ?? 0] = 1;
  }
  if (random() >= GROUP_CHANCE) return;
  const pickup = Math.floor(random() * pickups);
  out[pickup] = 1;
  for (let stop = pickups; stop < size; stop++) if (pickupOf[stop] === pickup) out[stop] = 1;
}

/** Splits a path: the stops that stay are written to `rest`, the marked ones are returned. */
function ruin(graph: Graph, path: Path, out: Uint8Array, rest: Path, removed: Int16Array): Int16Array {
  rest.length = 0;
  let count = 0;
  for (let at = 0; at < path.length; at++) {
    const stop = path.stops[at] ?? 0;
    if (out[stop] === 1) removed[count++] = stop;
    else appendStop(graph, rest, stop);
  }
  return removed.subarray(0, count);
}

export function shuffle(stops: Int16Array, random: () => number): void {
  for (let last = stops.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const moved = stops[last] ?? 0;
    stops[last] = stops[other] ?? 0;
    stops[other] = moved;
  }
}

/**
 * Puts the stops back, each where it costs least. Pickups come first, because a delivery needs its pickup in the path.
 */
export function recreate(graph: Graph, path: Path, stops: Int16Array): void {
  for (const stop of stops) if (graph.pickupOf[stop] === NONE) insertStop(graph, path, stop);
  for (const stop of stops) if (graph.pickupOf[stop] !== NONE) insertStop(graph, path, stop);
}

function copyPath(from: Path, to: Path): void {
  to.stops.set(from.stops);
  to.legs.set(from.legs);
  to.length = from.length;
}

/**
 * Improves a path by simulated annealing over `rounds` rounds. A round takes neighbouring stops out and puts them back
 * where they cost least ("slack induction by string removals", Christiaens and Vanden Berghe 2020, on a single route).
 * Returns the best path found; yields every few rounds.
 */
export function* anneal(graph: Graph, start: Path, rounds: number, random: () => number): Generator<void, Path> {
  const removed = new Int16Array(graph.size);
  const out = new Uint8Array(graph.size);
  const best = emptyPath(graph);
  let current = emptyPath(graph);
  let next = emptyPath(graph);
  copyPath(start, best);
  copyPath(start, current);
  let metres = totalMetres(start);
  let leastMetres = metres;
  let temperature = (HOT * metres) / graph.size;
  const cooling = (COLD / HOT) ** (1 / Math.max(1, rounds));
  for (let round = 1; round <= rounds; round++, temperature *= cooling) {
    if (round % ROUNDS_AT_ONCE === 0) yield;
    mark(graph, current, out, random);
    const outside = ruin(graph, current, out, next, removed);
    shuffle(outside, random);
    recreate(graph, next, outside);
    const nextMetres = totalMetres(next);
    if (nextMetres >= metres - temperature * Math.log(random() || Number.MIN_VALUE)) continue;
    [current, next] = [next, current];
    metres = nextMetres;
    if (metres >= leastMetres) continue;
    copyPath(current, best);
    leastMetres = metres;
  }
  return best;
}
