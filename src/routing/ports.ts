import type { DistanceSource, Located, Place } from '../base/place.js';

/** Finds the place of a free-form Brazilian address. Never throws on text, however odd. */
export interface Geocoder {
  locate(address: string): Promise<Located>;
  /** Locates without another service; undefined for an address for which `locate` asks one. */
  read(address: string): Located | undefined;
}

/** Road metres and driving seconds, `[from][to]`, over the places in their order. */
export interface LegTable {
  metres: number[][];
  seconds: number[][];
  source: DistanceSource;
}

export interface Distances {
  table(places: readonly Place[]): Promise<LegTable>;
}

/** Stops are numbered pickups first: stop `pickups + d` is delivery `d`, and comes after stop `pickupOf[d]`. */
export interface RouteProblem {
  pickups: number;
  pickupOf: readonly number[];
  /** Road metres `[from][to]` between stops, whose sum is to be least; they need not be symmetric. */
  metres: readonly (readonly number[])[];
}

export interface RouteSolver {
  /**
   * The stops in the order they are visited. The route begins at any pickup and does not return. A long search is done
   * in slices, in the turns of `owner`.
   */
  solve(problem: RouteProblem, owner?: string): Promise<{ order: number[]; solver: 'embedded' | 'vroom' }>;
}
