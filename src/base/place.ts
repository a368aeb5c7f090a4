/** Precision of coordinates that the service found, finest first (contracts/guides/behaviour.md#addresses). */
export type Precision = 'rooftop' | 'street' | 'postal_code' | 'district' | 'city';

/** A resolved address. Geocoders remember it, so it serves many orders. */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
  /** `given`: the coordinates came with the address. */
  readonly precision: Precision | 'given';
  /** Nine of ten such addresses lie within this distance. Undefined for a place that a release before 1.6 stored. */
  readonly accuracyMetres?: number;
  readonly city: string;
  /** UF, two capital letters. */
  readonly state: string;
  readonly district?: string;
  /** The street and number as they were read, for estimates. Orders do not keep them. */
  readonly streetRead?: string;
  /** CEP, 8 digits without a hyphen. */
  readonly postalCode?: string;
}

/** Coordinates that came with an address. */
export interface Coordinates {
  latitude: number;
  longitude: number;
  accuracyMetres?: number;
}

/**
 * The outcome of looking an address up. The public `message` names the part that was not understood. `isOutside` tells
 * that the coordinates sent with the address do not fit its text.
 */
export type Located = Readonly<{ ok: true; place: Place } | { ok: false; message: string; isOutside?: true }>;

/** A stop's place in its route (contracts/guides/behaviour.md#routes-and-times). */
export interface Waypoint {
  /** From 0. */
  index: number;
  /** Arrival, within the working hours of the place. */
  eta: Date;
  /** Whole metres from the stop before; 0 for the first. */
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
