/** Rows of the table of cities, as they are read from its columns. */
import type { Estimate } from './clusters.js';
import { type ColumnReader, of } from './columns.js';
import type { Point } from './municipalities.js';

/** Coordinates of the table are whole numbers, so many to a degree. */
export const STEPS = 10_000;

export interface Neighbourhood {
  index: number;
  /** IBGE code of its municipality. */
  code: number;
  name: string;
  /** Undefined where nothing near it is known. */
  estimate: (Estimate & IsTown) | undefined;
}

interface IsTown {
  /** It says no more than its town, as the CEP of a whole town. */
  isTown: boolean;
}

export interface PostalCode extends Estimate, IsTown {
  digits: number;
}

/** A street in one neighbourhood, by its index, with one CEP. */
export interface StreetPart {
  neighbourhood: number;
  postalCode: number;
}

export interface AddressPoint extends Point {
  neighbourhood: number;
  /** 0 where none is known. */
  number: number;
}

export interface Street {
  /** Its name is known with the kind that is written, and is not one that streets have before they get a name. */
  isSure: boolean;
  parts: readonly StreetPart[];
  /** In each neighbourhood in the order of the numbers. */
  points: readonly AddressPoint[];
}

export const estimates = (next: ColumnReader) => ({
  latitude: next.column(),
  longitude: next.column(),
  metres: next.column(),
  isTown: next.column(),
});

/** Columns of points, and the municipality of a row; 0 where nothing near it is known. */
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
