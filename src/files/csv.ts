export type Cell = string | number | null | undefined;

/** A row of a file. */
export const csvLine = (cells: readonly Cell[], separator: ',' | ';' = ';'): string =>
  `${cells.map((cell) => `"${String(cell ?? '').replaceAll('"', '""')}"`).join(separator)}\r\n`;

/** By this and `;` spreadsheets in Portuguese open a file as it was meant. */
export const BYTE_ORDER_MARK = '\uFEFF';

const FORMULA = /^[=+\-@\t\r]/;
/** A spreadsheet drops leading zeros, keeps 15 digits, and reads `12E4` as 120000. */
const OTHER_NUMBER = /^(0\d+|\d{16,}|\d+E\d+)$/i;

/** A text that a spreadsheet would work out, or change, gets an apostrophe before it. */
export const protectedCell = (cell: Cell): Cell =>
  typeof cell === 'string' && (FORMULA.test(cell) || OTHER_NUMBER.test(cell)) ? `'${cell}` : cell;
