import { setImmediate } from 'node:timers/promises';
import type { RouteSolver } from '../ports.js';
import { EXACT_LIMIT, exactRoute } from './exact.js';
import { type Graph, toGraph } from './graph.js';
import { tournament } from './tournament.js';

/** The event loop gets its turn after this long. */
const SLICE_MS = 2;

/** Rounds × stops² of the first stage for each path, which makes about 10 ms in all at 100 packages. */
const FIRST_STAGE = 100_000;
/** More rounds find nothing more on smaller routes. */
const MOST_FIRST_ROUNDS = 24;

/** Rounds for each path in the first stage of the search over so many stops. */
export function firstRoundsFor(stops: number): number {
  return Math.min(MOST_FIRST_ROUNDS, Math.ceil(FIRST_STAGE / stops ** 2));
}

async function searchRoute(graph: Graph): Promise<number[]> {
  const search = tournament(graph, firstRoundsFor(graph.size));
  let until = performance.now() + SLICE_MS;
  for (;;) {
    const step = search.next();
    if (step.done) return [...step.value.stops];
    if (performance.now() < until) continue;
    await setImmediate();
    until = performance.now() + SLICE_MS;
  }
}

/** The shortest route for certain up to `EXACT_LIMIT` stops, a very short one above. Deterministic. */
export const embeddedSolver: RouteSolver = {
  async solve(problem) {
    const graph = toGraph(problem);
    const order = graph.size <= EXACT_LIMIT ? exactRoute(graph) : await searchRoute(graph);
    return { order, solver: 'embedded' };
  },
};
