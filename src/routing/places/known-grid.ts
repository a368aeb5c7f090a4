import { computedOnce } from '../../base/values.js';
import { STEPS } from './city-rows.js';
import type { CityTable } from './city-table.js';
import { of } from './columns.js';
import type { Point } from './municipalities.js';

/** Steps within which known places of one municipality count as one: some 500 m. */
const COARSE = STEPS / 200;
/** Side of a cell, a tenth of a degree, in coarse steps. The grid covers Brazil and its islands. */
const CELL = STEPS / 10 / COARSE;
const SOUTH = -34 * (STEPS / COARSE);
const WEST = -74 * (STEPS / COARSE);
const ROWS = 400;
const COLUMNS = 460;
const CELLS = ROWS * COLUMNS;
/** Greater than any IBGE code: these have seven digits. */
const CODES = 10_000_000;

/** Least width of a cell. */
export const CELL_METRES = 9_200;
const METRES = (111_195 / STEPS) * COARSE;

/** Metres to the nearest known place of the municipality, and to the nearest one of another municipality. */
interface Nearest {
  own: number;
  other: number;
}

/** The known places of all municipalities, by cell. */
class KnownGrid {
  /** Index of the first place of each cell. */
  private readonly starts = new Int32Array(CELLS + 1);
  private readonly north: Int32Array;
  private readonly east: Int32Array;
  private readonly codes: Int32Array;
  private readonly counts = new Map<number, number>();

  constructor(cities: CityTable) {
    const keys = this.sortedKeys(cities);
    const count = keys.filter((key, at) => key !== keys[at - 1]).length;
    [this.north, this.east, this.codes] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
    let at = 0;
    let last = -1;
    for (const key of keys) {
      if (key === last) continue;
      last = key;
      const inside = Math.floor(key / CODES);
      const cell = Math.floor(inside / (CELL * CELL));
      this.codes[at] = key - inside * CODES;
      this.north[at] = Math.floor(cell / COLUMNS) * CELL + (Math.floor(inside / CELL) % CELL);
      this.east[at] = (cell % COLUMNS) * CELL + (inside % CELL);
      at += 1;
      this.starts[cell + 1] = at;
    }
    for (let cell = 0; cell < CELLS; cell++)
      this.starts[cell + 1] = Math.max(of(this.starts, cell), of(this.starts, cell + 1));
  }

  /** Encodes cell, position in it and municipality as one number, because numbers sort fastest. */
  private sortedKeys(cities: CityTable): Float64Array {
    const tables = cities.knownPoints();
    const keys = new Float64Array(tables.reduce((sum, { latitude }) => sum + latitude.length, 0));
    let length = 0;
    for (const { latitude, longitude, codeAt } of tables) {
      for (let row = 0; row < latitude.length; row++) {
        const code = codeAt(row);
        const north = Math.round(of(latitude, row) / COARSE) - SOUTH;
        const east = Math.round(of(longitude, row) / COARSE) - WEST;
        if (code === 0 || north < 0 || north >= ROWS * CELL || east < 0 || east >= COLUMNS * CELL) continue;
        this.counts.set(code, (this.counts.get(code) ?? 0) + 1);
        const cell = Math.floor(north / CELL) * COLUMNS + Math.floor(east / CELL);
        keys[length] = ((cell * CELL + (north % CELL)) * CELL + (east % CELL)) * CODES + code;
        length += 1;
      }
    }
    return keys.subarray(0, length).sort();
  }

  /** Count of the known places in a municipality. */
  countOf(code: number): number {
    return this.counts.get(code) ?? 0;
  }

  /** Updates `nearest` by the cells that lie exactly `away` cells off. */
  look(at: Point, away: number, code: number, nearest: Nearest): void {
    const [north, east] = [(at.latitude * STEPS) / COARSE - SOUTH, (at.longitude * STEPS) / COARSE - WEST];
    const [row, column] = [Math.floor(north / CELL), Math.floor(east / CELL)];
    const narrowing = Math.cos((at.latitude * Math.PI) / 180);
    for (let y = Math.max(0, row - away); y <= Math.min(ROWS - 1, row + away); y++) {
      const step = away === 0 || Math.abs(y - row) === away ? 1 : 2 * away;
      for (let x = column - away; x <= column + away; x += step) {
        if (x < 0 || x >= COLUMNS) continue;
        const end = of(this.starts, y * COLUMNS + x + 1);
        for (let index = of(this.starts, y * COLUMNS + x); index < end; index++) {
          const up = of(this.north, index) - north;
          const aside = (of(this.east, index) - east) * narrowing;
          const metres = METRES * Math.sqrt(up * up + aside * aside);
          if (of(this.codes, index) !== code) nearest.other = Math.min(nearest.other, metres);
          else nearest.own = Math.min(nearest.own, metres);
        }
      }
    }
  }
}

/** The grid of a table. It is made when an address first comes with coordinates. */
export const knownGrid = computedOnce((cities: CityTable) => new KnownGrid(cities));
