/** Rows of the table of cities, built from its columns. */
import type { Estimate } from './clusters.js';
import { type ColumnReader, of } from './columns.js';
import type { Point } from './municipalities.js';

/** Steps in a degree. The table holds coordinates as whole numbers of steps. */
export const STEPS = 10_000;

export interface Neighbourhood {
  index: number;
  /** IBGE code of its municipality. */
  code: number;
  name: string;
  /** Undefined if no place near the neighbourhood is known. */
  estimate: (Estimate & IsTown) | undefined;
}

interface IsTown {
  /** True if the estimate is only that of the town, as for the CEP of a whole town. */
  isTown: boolean;
}

export interface PostalCode extends Estimate, IsTown {
  digits: number;
}

/** The part of a street in one neighbourhood (an index) with one CEP. */
export interface StreetPart {
  neighbourhood: number;
  postalCode: number;
}

export interface AddressPoint extends Point {
  neighbourhood: number;
  /** The house number; 0 if it is unknown. */
  number: number;
}

export interface Street {
  /** True if the name is known with the written kind, and is not a provisional one, as new streets have. */
  isSure: boolean;
  parts: readonly StreetPart[];
  /** The known houses of the street. Within each neighbourhood they are sorted by number. */
  points: readonly AddressPoint[];
}

export const estimates = (next: ColumnReader) => ({
  latitude: next.column(),
  longitude: next.column(),
  metres: next.column(),
  isTown: next.column(),
});

/** Columns of points. `codeAt` is the IBGE code of a row's municipality, or 0 if no place near the row is known. */
export interface KnownPoints {
  latitude: Int32Array;
  longitude: Int32Array;
  codeAt: (row: number) => number;
}

type Estimates = ReturnType<typeof estimates> & { code: Int32Array };

export const codeOfEstimate = ({ code, metres, isTown }: Estimates, row: number): number =>
  of(metres, row) > 0 && isTown[row] !== 1 ? of(code, row) : 0;

export const pointAt = ({ latitude, longitude }: Record<keyof Point, Int32Array>, row: number): Point => ({
  latitude: of(latitude, row) / STEPS,
  longitude: of(longitude, row) / STEPS,
});

export const estimateAt = (table: ReturnType<typeof estimates>, row: number) => ({
  at: pointAt(table, row),
  metres: of(table.metres, row),
  isTown: table.isTown[row] === 1,
});
