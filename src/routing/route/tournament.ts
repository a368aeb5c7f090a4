import type { Graph } from './graph.js';
import { emptyPath, type Path, totalSeconds } from './insertion.js';
import { seededRandom } from './random.js';
import { anneal, recreate, shuffle } from './ruin-recreate.js';

/** Paths that the search begins with; a power of two. */
const STARTS = 32;

/** A path by cheapest insertion of the stops in random order. */
function startingPath(graph: Graph, random: () => number): Path {
  const stops = Int16Array.from({ length: graph.size }, (_, stop) => stop);
  const path = emptyPath(graph);
  shuffle(stops, random);
  recreate(graph, path, stops);
  return path;
}

/**
 * Searches a short route among many beginnings: every path is improved for a while, the better half goes on for twice
 * as long, until one is left. Deep valleys of the search are told from shallow ones early, which one long run cannot.
 * Deterministic for a seed; yields often.
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
    improved.sort((a, b) => totalSeconds(a) - totalSeconds(b));
    const [best] = improved;
    if (improved.length === 1 && best) return best;
    paths = improved.slice(0, improved.length / 2);
  }
}
