/** How exactly the coordinates of a place are known, finest first (contracts/guides/behaviour.md#orders-packages-states). */
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

/** `message` is public and says what in the address was not understood. */
export type Located = { ok: true; place: Place } | { ok: false; message: string };
