/** Precision of coordinates that the service found, finest first (contracts/guides/behaviour.md#addresses). */
export type Precision = 'rooftop' | 'street' | 'postal_code' | 'district' | 'city';

/** A resolved address. Geocoders cache it, so many orders share it. */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
  /** `given` means that the coordinates came with the address. */
  readonly precision: Precision | 'given';
  /** Metres within which nine of ten such addresses lie. Undefined for a place that a release before 1.6 stored. */
  readonly accuracyMetres?: number;
  readonly city: string;
  /** The UF, two capital letters. */
  readonly state: string;
  readonly district?: string;
  /** The street and number that were read, for estimates. Orders do not store them. */
  readonly streetRead?: string;
  /** The CEP, 8 digits without a hyphen. */
  readonly postalCode?: string;
}

/** Coordinates that came with an address. */
export interface Coordinates {
  latitude: number;
  longitude: number;
  accuracyMetres?: number;
}

/**
 * The outcome of locating an address. The public `message` names the part that was not understood. `isOutside` is true
 * if the coordinates with the address do not fit its text.
 */
export type Located = Readonly<{ ok: true; place: Place } | { ok: false; message: string; isOutside?: true }>;

/** A stop's place in its route (contracts/guides/behaviour.md#routes-and-times). */
export interface Waypoint {
  /** Index in the route, from 0. */
  index: number;
  /** Arrival, within the working hours at the place. */
  eta: Date;
  /** Whole metres from the previous stop. 0 for the first stop. */
  legDistance: number;
}

export type DistanceSource = 'great_circle' | 'osrm';

/** Names of the states by their UF, as people write them. */
export const stateNames: Readonly<Record<string, string>> = {
  AC: 'Acre',
  AL: 'Alagoas',
  AM: 'Amazonas',
  AP: 'Amapá',
  BA: 'Bahia',
  CE: 'Ceará',
  DF: 'Distrito Federal',
  ES: 'Espírito Santo',
  GO: 'Goiás',
  MA: 'Maranhão',
  MG: 'Minas Gerais',
  MS: 'Mato Grosso do Sul',
  MT: 'Mato Grosso',
  PA: 'Pará',
  PB: 'Paraíba',
  PE: 'Pernambuco',
  PI: 'Piauí',
  PR: 'Paraná',
  RJ: 'Rio de Janeiro',
  RN: 'Rio Grande do Norte',
  RO: 'Rondônia',
  RR: 'Roraima',
  RS: 'Rio Grande do Sul',
  SC: 'Santa Catarina',
  SE: 'Sergipe',
  SP: 'São Paulo',
  TO: 'Tocantins',
};
