import { type ColumnReader, of } from './columns.js';
import { hashOf } from './name-hash.js';

/** The neighbourhoods of a municipality: the indexes in [from, to). */
export interface Range {
  from: number;
  to: number;
}

/** Greater than any kind of street. A column stores the kind and, in its higher bits, a second hash of the name. */
const KINDS = 256;
const SECOND = 0x2545f491;

/** The second hash. It differs for nearly all names that share the first one. */
export const checkOf = (name: string): number => KINDS * (hashOf(name, SECOND) >>> 24);

const BUCKETS = 1 << 16;
/** The upper half of a hash. Hashes are spread evenly, so few names share it. */
const bucketOf = (hash: number): number => (hash >> 16) + BUCKETS / 2;

/** Rows sorted by the hash of the name, then by neighbourhood. Neighbourhoods are sorted by municipality. */
export class NamedRows {
  readonly key;
  readonly neighbourhood;
  private readonly kind;
  /** Index of the first row of each bucket. */
  private readonly starts = new Int32Array(BUCKETS + 1);

  constructor(next: ColumnReader) {
    this.key = next.column();
    this.neighbourhood = next.column();
    this.kind = next.column();
    for (let bucket = 0, row = 0; bucket <= BUCKETS; bucket++) {
      while (row < this.key.length && bucketOf(of(this.key, row)) < bucket) row++;
      this.starts[bucket] = row;
    }
  }

  kindAt(row: number): number {
    return of(this.kind, row) % KINDS;
  }

  /** The rows with the hash in the neighbourhoods. */
  rowsOf(hash: number, { from, to }: Range): number[] {
    const rows: number[] = [];
    for (let row = this.firstRow(hash, from); this.isIn(row, hash, to); row++) rows.push(row);
    return rows;
  }

  has(hash: number, { from, to }: Range): boolean {
    return this.isIn(this.firstRow(hash, from), hash, to);
  }

  /** Tells whether a row has the name itself, and not only its hash. */
  hasName(name: string, range: Range): boolean {
    const check = checkOf(name);
    return this.rowsOf(hashOf(name), range).some((row) => of(this.kind, row) - this.kindAt(row) === check);
  }

  private isIn(row: number, hash: number, to: number): boolean {
    return this.key[row] === hash && of(this.neighbourhood, row) < to;
  }

  private firstRow(hash: number, from: number): number {
    const { key, neighbourhood, starts } = this;
    let low = of(starts, bucketOf(hash));
    let high = of(starts, bucketOf(hash) + 1);
    while (low < high) {
      const middle = (low + high) >> 1;
      const isBefore = of(key, middle) < hash || (key[middle] === hash && of(neighbourhood, middle) < from);
      if (isBefore) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
