import type { Municipality } from '../places/municipalities.js';
import type { StreetKey } from '../places/street-key.js';
import type { Segment } from './segments.js';

export interface NotRead {
  ok: false;
  /** The address names nothing of the gazetteer, several places, or parts that exclude each other. */
  reason: 'unknown' | 'ambiguous' | 'contradiction';
  /** Public, so it is made of the gazetteer's names and never of the address's words. */
  message: string;
  /** Cities among which a CEP may choose; it may give the city where there are none. Absent where no CEP can help. */
  matches?: readonly CityMatch[];
}

export interface NamedStreet {
  /** Its kind (`r`, `avenida`) first where that is written. */
  words: Segment;
  number?: string;
  /** Parts of land that stand beside a house number, or in its place: `quadra 300`, `lote 1`. */
  lots?: readonly string[];
  /** `Avenida T 63, 100`: the street if the first number is a part of its name. */
  coded?: Pick<NamedStreet, 'words' | 'number'>;
}

export interface Read {
  ok: true;
  municipality: Municipality;
  neighbourhood?: Segment;
  street?: NamedStreet & {
    key: StreetKey;
    /** The quadra of Brasília that the street is a part of. */
    quadra?: StreetKey;
  };
  postalCode?: string;
  /** In the country: the town's streets tell nothing of where. */
  isRural?: true;
  /** The CEP lies in no range of the municipality, and tells nothing of the place. */
  isPostalCodeElsewhere?: true;
}

export type Reading = Read | NotRead;

export function notRead(reason: NotRead['reason'], message: string, matches?: readonly CityMatch[]): NotRead {
  return { ok: false, reason, message, ...(matches && { matches }) };
}

/** `Santos - SP`, or with several `Bom Jesus - PB, Bom Jesus - PI or Bom Jesus - RN`. */
export function oneOf(municipalities: readonly Municipality[]): string {
  const sorted = [...new Set(municipalities.map(fullName))].sort();
  return sorted.length < 2 ? sorted.join('') : `${sorted.slice(0, -1).join(', ')} or ${sorted.at(-1)}`;
}

export const fullName = (municipality: Municipality): string => `${municipality.name} - ${municipality.state}`;

/** A municipality and the index of its name; `before` are the words before it in the same segment. */
export interface CityMatch {
  ok: true;
  municipality: Municipality;
  /** -1 where it ends the street's own segment. */
  at: number;
  before: Segment;
  /** The CEP that is written lies in no range of the municipality. */
  isPostalCodeElsewhere?: true;
}

export type CitySearch = CityMatch | NotRead;

export function cityMatch(municipality: Municipality, at: number, before: Segment = []): CityMatch {
  return { ok: true, municipality, at, before };
}
