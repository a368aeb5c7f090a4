import { type Graph, NONE } from './problem.js';

/** A path that grows and shrinks. Only its first `length` entries count. */
export interface Path {
  stops: Int16Array;
  /** Metres from the previous stop to each stop. The first stop has 0. */
  legs: Float64Array;
  length: number;
}

export const emptyPath = ({ size }: Graph): Path => ({
  stops: new Int16Array(size),
  legs: new Float64Array(size),
  length: 0,
});

export function appendStop({ size, metres }: Graph, path: Path, stop: number): void {
  const at = path.length++;
  path.stops[at] = stop;
  path.legs[at] = at === 0 ? 0 : (metres[(path.stops[at - 1] ?? 0) * size + stop] ?? 0);
}

export function totalMetres({ legs, length }: Path): number {
  let sum = 0;
  for (let at = 1; at < length; at++) sum += legs[at] ?? 0;
  return sum;
}

function range({ pickupOf }: Graph, { stops, length }: Path, stop: number): [first: number, last: number] {
  const pickup = pickupOf[stop] ?? NONE;
  if (pickup !== NONE) return [stops.indexOf(pickup) + 1, length];
  let last = 0;
  while (last < length && pickupOf[stops[last] ?? 0] !== stop) last++;
  return [0, last];
}

/** The position in the path at which a stop adds the fewest metres. Of equal ones, the first. */
function cheapestPlace(graph: Graph, path: Path, stop: number): number {
  const { metres, metresInto, size } = graph;
  const { stops, legs, length } = path;
  const row = stop * size;
  const [first, last] = range(graph, path, stop);
  let place = first;
  let least = Number.POSITIVE_INFINITY;
  if (first === 0 && length > 0) least = metres[row + (stops[0] ?? 0)] ?? 0;
  const innerEnd = Math.min(last, length - 1);
  for (let at = Math.max(first, 1); at <= innerEnd; at++) {
    const detour = (metresInto[row + (stops[at - 1] ?? 0)] ?? 0) + (metres[row + (stops[at] ?? 0)] ?? 0);
    const added = detour - (legs[at] ?? 0);
    if (added >= least) continue;
    least = added;
    place = at;
  }
  if (last === length && length > 0 && (metresInto[row + (stops[length - 1] ?? 0)] ?? 0) < least) place = length;
  return place;
}

export function insertStop(graph: Graph, path: Path, stop: number): void {
  const { stops, legs, length } = path;
  const place = cheapestPlace(graph, path, stop);
  stops.copyWithin(place + 1, place, length);
  legs.copyWithin(place + 1, place, length);
  stops[place] = stop;
  path.length = length + 1;
  const row = stop * graph.size;
  legs[place] = place === 0 ? 0 : (graph.metresInto[row + (stops[place - 1] ?? 0)] ?? 0);
  if (place < length) legs[place + 1] = graph.metres[row + (stops[place + 1] ?? 0)] ?? 0;
}
