import type { ColumnReader } from './columns.js';
import { firstIndex } from './postal-codes.js';

export type Range = readonly [from: number, to: number];

/** Rows are sorted by hashes of names, and in those by neighbourhoods, which are sorted by municipalities. */
export interface Named {
  key: Int32Array;
  neighbourhood: Int32Array;
  kind: Int32Array;
}

export const named = (next: ColumnReader): Named => ({
  key: next.column(),
  neighbourhood: next.column(),
  kind: next.column(),
});

export const of = (column: Int32Array, row: number): number => column[row] ?? 0;

/** The first row of the name in the neighbourhoods from `from` on, or the row after where it would be. */
export const firstRow = ({ key, neighbourhood }: Named, hash: number, from: number): number =>
  firstIndex(key.length, (row) => of(key, row) > hash || (key[row] === hash && of(neighbourhood, row) >= from));

/** The rows of the name in the neighbourhoods from `from` up to, not including, `to`. */
export const rowsOf = (table: Named, hash: number, [from, to]: Range): Range => [
  firstRow(table, hash, from),
  firstRow(table, hash, to),
];

export const indices = ([from, to]: Range): number[] => Array.from({ length: to - from }, (_, index) => from + index);
