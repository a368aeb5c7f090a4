/** How exactly the coordinates of a place are known, finest first (contracts/guides/behaviour.md#addresses). */
export type Precision = 'rooftop' | 'street' | 'postal_code' | 'district' | 'city';

/** A resolved address: where it is, and how exactly that is known. Geocoders remember it, so it serves many orders. */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
  readonly precision: Precision;
  readonly city: string;
  /** UF, two capital letters. */
  readonly state: string;
  readonly district?: string;
  /** CEP, 8 digits without a hyphen. */
  readonly postalCode?: string;
}

/** What came of an address: `message` is public and says what in it was not understood. Remembered as the place is. */
export type Located = Readonly<{ ok: true; place: Place } | { ok: false; message: string }>;

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
