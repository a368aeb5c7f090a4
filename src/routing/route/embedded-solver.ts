import { inSlices } from '../../base/turns/slices.js';
import type { RouteSolver } from '../ports.js';
import { EXACT_LIMIT, exactRoute } from './exact.js';
import { emptyPath, type Path, totalMetres } from './insertion.js';
import { type Graph, toGraph } from './problem.js';
import { anneal, recreate, shuffle } from './ruin-recreate.js';

/** Rounds × stops² of the first stage for each path. With 100 packages the whole search takes about 10 ms. */
const FIRST_STAGE = 100_000;
/** Most rounds of the first stage. On smaller routes more rounds find nothing better. */
const MAX_FIRST_ROUNDS = 24;
/** Count of the paths that the search begins with. It must be a power of two. */
const STARTS = 32;

/** Finds the shortest route up to `EXACT_LIMIT` stops, and a very short one above. Deterministic. */
export const embeddedSolver: RouteSolver = {
  async solve(problem, owner = '') {
    const graph = toGraph(problem);
    if (graph.size <= EXACT_LIMIT) return { order: exactRoute(graph), solver: 'embedded' };
    const { stops } = await inSlices(owner, tournament(graph, firstRoundsFor(graph.size)));
    return { order: [...stops], solver: 'embedded' };
  },
};

export const firstRoundsFor = (stops: number): number =>
  Math.min(MAX_FIRST_ROUNDS, Math.ceil(FIRST_STAGE / stops ** 2));

/**
 * Searches for a short route from many starting paths. It improves every path for a while; the better half goes on for
 * twice as long, until one is left. Deterministic for a seed; yields often.
 */
export function* tournament(graph: Graph, firstRounds: number, seed = 1): Generator<void, Path> {
  const random = seededRandom(seed);
  let paths: Path[] = [];
  while (paths.length < STARTS) {
    paths.push(startingPath(graph, random));
    yield;
  }
  for (let rounds = firstRounds; ; rounds *= 2) {
    const improved: Path[] = [];
    for (const path of paths) improved.push(yield* anneal(graph, path, rounds, random));
    improved.sort((a, b) => totalMetres(a) - totalMetres(b));
    const [best] = improved;
    if (improved.length === 1 && best) return best;
    paths = improved.slice(0, improved.length / 2);
  }
}

function startingPath(graph: Graph, random: () => number): Path {
  const stops = Int16Array.from({ length: graph.size }, (_, stop) => stop);
  const path = emptyPath(graph);
  shuffle(stops, random);
  recreate(graph, path, stops);
  return path;
}

/**
 * Random numbers, uniform in [0, 1), by xorshift32. The same seed gives the same sequence, so routes can be repeated.
 */
export function seededRandom(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4_294_967_296;
  };
}
