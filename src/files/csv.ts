export type Cell = string | number | null | undefined;

/** Writes a row of a file. */
export const csvLine = (cells: readonly Cell[], separator: ',' | ';' = ';'): string =>
  `${cells.map((cell) => `"${String(cell ?? '').replaceAll('"', '""')}"`).join(separator)}\r\n`;

/** With this mark and `;`, Portuguese spreadsheets open a file correctly. */
export const BYTE_ORDER_MARK = '\uFEFF';

const FORMULA = /^[=+\-@\t\r]/;
/** Texts that a spreadsheet would change: it drops leading zeros, keeps 15 digits, and reads `12E4` as 120000. */
const OTHER_NUMBER = /^(0\d+|\d{16,}|\d+E\d+)$/i;

/** Puts an apostrophe before a text that a spreadsheet would compute or change. */
export const protectedCell = (cell: Cell): Cell =>
  typeof cell === 'string' && (FORMULA.test(cell) || OTHER_NUMBER.test(cell)) ? `'${cell}` : cell;
