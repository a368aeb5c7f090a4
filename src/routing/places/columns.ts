export const of = (column: Int32Array, row: number): number => column[row] ?? 0;

/** The first row in [from, to) of a sorted column whose value is at least `least`. `to` if all values are smaller. */
export function firstRow(column: Int32Array, least: number, from = 0, to = column.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(column, middle) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Reads columns of integers and lists of names, in the order that scripts/places/columns.ts wrote them. */
export class ColumnReader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  names(): string[] {
    const from = this.at + 4;
    this.at = from + this.length();
    return this.bytes.toString('utf8', from, this.at).split('\n');
  }

  /**
   * Reads a column of differences. Small ones have small codes, whatever their sign. The lowest bytes of all come
   * first.
   */
  column(): Int32Array {
    const { bytes } = this;
    const values = new Int32Array(this.length());
    const first = this.at + 4;
    const [second, third, fourth] = [first + values.length, first + 2 * values.length, first + 3 * values.length];
    let value = 0;
    for (let i = 0; i < values.length; i++) {
      const low = (bytes[first + i] ?? 0) | ((bytes[second + i] ?? 0) << 8);
      const folded = low | ((bytes[third + i] ?? 0) << 16) | ((bytes[fourth + i] ?? 0) << 24);
      value = (value + ((folded >>> 1) ^ -(folded & 1))) | 0;
      values[i] = value;
    }
    this.at = fourth + values.length;
    return values;
  }

  private length(): number {
    return this.at < this.bytes.length ? this.bytes.readUInt32LE(this.at) : 0;
  }
}
