/** How exactly the coordinates of a place are known, finest first (contracts/guides/behaviour.md#addresses). */
export type Precision = 'rooftop' | 'street' | 'postal_code' | 'district' | 'city';

/** A resolved address: where it is, and how exactly that is known. */
export interface Place {
  latitude: number;
  longitude: number;
  precision: Precision;
  city: string;
  /** UF, two capital letters. */
  state: string;
  district?: string;
  /** CEP, 8 digits without a hyphen. */
  postalCode?: string;
}

/** What came of an address: `message` is public and says what in it was not understood. */
export type Located = { ok: true; place: Place } | { ok: false; message: string };

/** A stop's place in its route (contracts/guides/behaviour.md#routes-and-times). */
export interface Waypoint {
  /** From 0. */
  index: number;
  /** Arrival, within working hours. */
  eta: Date;
  /** Whole metres from the stop before; 0 for the first. */
  legDistance: number;
}

/** Where the metres of a route come from. */
export type DistanceSource = 'great_circle' | 'osrm';
