import type { Municipality } from '../places/municipalities.js';
import type { StreetKey } from '../places/street-key.js';
import type { Segment } from './segments.js';

export interface NotRead {
  ok: false;
  /**
   * `unknown`: the gazetteer has no such name. `ambiguous`: several places fit. `contradiction`: the parts exclude each
   * other.
   */
  reason: 'unknown' | 'ambiguous' | 'contradiction';
  /** The message for the client. It has names of the gazetteer only, never words of the address. */
  message: string;
  /** Cities among which a CEP may choose. If empty, a CEP may give the city. Absent if no CEP can help. */
  matches?: readonly CityMatch[];
}

export interface NamedStreet {
  /** The words of its name. The kind (`r`, `avenida`) is first, if it is written. */
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
  /** True in the countryside, where the streets of the town do not tell the place. */
  isRural?: true;
  /** True if the CEP lies in no range of the municipality, and so does not tell the place. */
  isPostalCodeElsewhere?: true;
}

export type Reading = Read | NotRead;

export function notRead(reason: NotRead['reason'], message: string, matches?: readonly CityMatch[]): NotRead {
  return { ok: false, reason, message, ...(matches && { matches }) };
}

/** Lists municipalities for a message: `Santos - SP`, or `Bom Jesus - PB, Bom Jesus - PI or Bom Jesus - RN`. */
export function oneOf(municipalities: readonly Municipality[]): string {
  const sorted = [...new Set(municipalities.map(fullName))].sort();
  return sorted.length < 2 ? sorted.join('') : `${sorted.slice(0, -1).join(', ')} or ${sorted.at(-1)}`;
}

export const fullName = (municipality: Municipality): string => `${municipality.name} - ${municipality.state}`;

/** A municipality and the index of the segment with its name. `before` is the words before it in that segment. */
export interface CityMatch {
  ok: true;
  municipality: Municipality;
  /** -1 if the name ends the street's own segment. */
  at: number;
  before: Segment;
  /** True if the written CEP lies in no range of the municipality. */
  isPostalCodeElsewhere?: true;
}

export type CitySearch = CityMatch | NotRead;

export function cityMatch(municipality: Municipality, at: number, before: Segment = []): CityMatch {
  return { ok: true, municipality, at, before };
}
