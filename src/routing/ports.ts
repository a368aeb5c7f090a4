import type { DistanceSource, Located, Place } from '../base/place.js';

/** Finds the place of a free-form Brazilian address. Never throws on text, however odd. */
export interface Geocoder {
  locate(address: string): Promise<Located>;
  /** Locates without another service. Undefined if `locate` has to ask a service for the address. */
  read(address: string): Located | undefined;
}

/** Road metres and driving seconds, `[from][to]`, in the order of the given places. */
export interface LegTable {
  metres: number[][];
  seconds: number[][];
  source: DistanceSource;
}

export interface Distances {
  table(places: readonly Place[]): Promise<LegTable>;
}

/**
 * The stops to order. Pickups come first; stop `pickups + d` is delivery `d`, and must come after stop `pickupOf[d]`.
 */
export interface RouteProblem {
  pickups: number;
  pickupOf: readonly number[];
  /** Road metres between stops, `[from][to]`; not necessarily symmetric. The solver minimises their sum. */
  metres: readonly (readonly number[])[];
}

export interface RouteSolver {
  /**
   * Returns the stops in the order of the visits. The route begins at any pickup and does not return. A long search
   * runs in slices, in the turns of `owner`.
   */
  solve(problem: RouteProblem, owner?: string): Promise<{ order: number[]; solver: 'embedded' | 'vroom' }>;
}
