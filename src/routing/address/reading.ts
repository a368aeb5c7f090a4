import type { District, Municipality } from './gazetteer.js';

/** Why an address names no place: nothing known is named, several places are, or its parts exclude each other. */
export type AddressFault = 'unknown' | 'ambiguous' | 'contradiction';

export interface NotRead {
  ok: false;
  fault: AddressFault;
  /** Public, so it is made of the gazetteer's names and never of the address's words. */
  message: string;
}

/** What an address says of its place. */
export interface Read {
  ok: true;
  municipality: Municipality;
  district?: District;
  /** 8 digits. */
  postalCode?: string;
}

export type Reading = Read | NotRead;

function fault(kind: AddressFault, message: string): NotRead {
  return { ok: false, fault: kind, message };
}

export const unknown = (message: string): NotRead => fault('unknown', message);
export const ambiguous = (message: string): NotRead => fault('ambiguous', message);
export const contradiction = (message: string): NotRead => fault('contradiction', message);

/** `Santos - SP`, or with several `Bom Jesus - PB, Bom Jesus - PI or Bom Jesus - RN`. */
export function oneOf(municipalities: readonly Municipality[]): string {
  const sorted = [...new Set(municipalities.map(fullName))].sort();
  return sorted.length < 2 ? sorted.join('') : `${sorted.slice(0, -1).join(', ')} or ${sorted.at(-1)}`;
}

export function fullName(municipality: Municipality): string {
  return `${municipality.name} - ${municipality.state}`;
}
