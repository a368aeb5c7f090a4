import type { District, Municipality } from './gazetteer.js';

/** Why an address names no place: nothing known is named, several places are, or its parts exclude each other. */
export type AddressFault = 'unknown' | 'ambiguous' | 'contradiction';

export interface NotRead {
  ok: false;
  fault: AddressFault;
  /** Public. */
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

const QUOTE_LIMIT = 60;

function fault(kind: AddressFault, message: string): NotRead {
  return { ok: false, fault: kind, message };
}

export const unknown = (message: string): NotRead => fault('unknown', message);
export const ambiguous = (message: string): NotRead => fault('ambiguous', message);
export const contradiction = (message: string): NotRead => fault('contradiction', message);

/** A part of the address for a message, cut to a bounded length. */
export function quote(words: readonly string[]): string {
  const text = words.join(' ');
  return text.length > QUOTE_LIMIT ? `"${text.slice(0, QUOTE_LIMIT)}…"` : `"${text}"`;
}

/** `A`, `A or B`, `A, B or C`. */
export function alternatives(names: readonly string[]): string {
  const sorted = [...new Set(names)].sort();
  return sorted.length < 2 ? sorted.join('') : `${sorted.slice(0, -1).join(', ')} or ${sorted.at(-1)}`;
}

export function fullName(municipality: Municipality): string {
  return `${municipality.name} - ${municipality.state}`;
}
