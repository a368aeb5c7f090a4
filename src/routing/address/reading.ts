import type { District, Municipality } from '../places/municipalities.js';
import type { Segment } from './segments.js';

export interface NotRead {
  ok: false;
  /** The address names nothing of the gazetteer, several places, or parts that exclude each other. */
  reason: 'unknown' | 'ambiguous' | 'contradiction';
  /** Public, so it is made of the gazetteer's names and never of the address's words. */
  message: string;
}

export interface Street {
  /** Its kind (`r`, `avenida`) first where that is written. */
  words: Segment;
  /** The house number. */
  number?: string;
}

/** The parts of an address that name its place. */
export interface Read {
  ok: true;
  municipality: Municipality;
  district?: District;
  /** The words of the neighbourhood's name. */
  neighbourhood?: Segment;
  street?: Street;
  /** 8 digits. */
  postalCode?: string;
}

export type Reading = Read | NotRead;

export const unknown = (message: string): NotRead => ({ ok: false, reason: 'unknown', message });
export const ambiguous = (message: string): NotRead => ({ ok: false, reason: 'ambiguous', message });
export const contradiction = (message: string): NotRead => ({ ok: false, reason: 'contradiction', message });

/** `Santos - SP`, or with several `Bom Jesus - PB, Bom Jesus - PI or Bom Jesus - RN`. */
export function oneOf(municipalities: readonly Municipality[]): string {
  const sorted = [...new Set(municipalities.map(fullName))].sort();
  return sorted.length < 2 ? sorted.join('') : `${sorted.slice(0, -1).join(', ')} or ${sorted.at(-1)}`;
}

export const fullName = (municipality: Municipality): string => `${municipality.name} - ${municipality.state}`;
