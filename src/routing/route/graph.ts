import type { RouteProblem } from '../ports.js';
import { pickupOfStop, stopCount } from './problem.js';

/** No stop. */
export const NONE = -1;

/** A route problem laid out for search: flat arrays over stop numbers. */
export interface Graph {
  size: number;
  pickups: number;
  /** Stop that must come first, or NONE. */
  pickupOf: Int16Array;
  /** Driving seconds by `from * size + to`. */
  seconds: Float64Array;
  /** The same by `to * size + from`, so that both directions of a stop's legs lie side by side in memory. */
  secondsInto: Float64Array;
}

export function toGraph(problem: RouteProblem): Graph {
  const size = stopCount(problem);
  const pickupOf = Int16Array.from({ length: size }, (_, stop) => pickupOfStop(problem, stop) ?? NONE);
  const seconds = new Float64Array(size * size);
  const secondsInto = new Float64Array(size * size);
  problem.seconds.forEach((row, from) => {
    row.forEach((leg, to) => {
      seconds[from * size + to] = leg;
      secondsInto[to * size + from] = leg;
    });
  });
  return { size, pickups: problem.pickups, pickupOf, seconds, secondsInto };
}
