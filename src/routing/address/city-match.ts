import type { Municipality } from '../places/municipalities.js';
import { ambiguous, contradiction, type NotRead, unknown } from './reading.js';
import type { Segment } from './segments.js';

/** A municipality and the index of its name; `before` are the words before it in the same segment. */
export interface CityMatch {
  ok: true;
  municipality: Municipality;
  /** -1 where it ends the street's own segment. */
  at: number;
  before: Segment;
}

/** No city, or several; a CEP may choose among `matches`, or give the city where there are none. */
export interface NoCity extends NotRead {
  /** Absent where no CEP can help. */
  matches?: readonly CityMatch[];
}

export type CitySearch = CityMatch | NoCity;

export function cityMatch(municipality: Municipality, at: number, before: Segment = []): CityMatch {
  return { ok: true, municipality, at, before };
}

export const notUnderstood = (message: string): NoCity => ({ ...unknown(message), matches: [] });

export function severalCities(message: string, matches: readonly CityMatch[]): NoCity {
  return { ...ambiguous(message), matches };
}

/** The names exclude each other, though a CEP may say the city: `Campinas - RJ`. */
export const namesThatDoNotFit = (message: string): NoCity => ({ ...contradiction(message), matches: [] });
