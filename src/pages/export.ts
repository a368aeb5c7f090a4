import type { Schemas, Visit } from './session/visit.js';

type Cell = string | number | null | undefined;

/** A row of a file. */
export const csvLine = (cells: readonly Cell[], separator: ',' | ';' = ';'): string =>
  `${cells.map((cell) => `"${String(cell ?? '').replaceAll('"', '""')}"`).join(separator)}\r\n`;

/** By this and `;` spreadsheets in Portuguese open a file as it was meant. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** Columns of a file by their headings. */
export type Cells<Row> = Readonly<Record<string, (row: Row) => Cell>>;

export interface List<Row> {
  data: readonly Row[];
  pagination: Schemas['Pagination'];
}

export interface Paging {
  page?: number;
  page_size?: number;
}

/** Rows of a file at most, read in pages of the operation. */
const MOST_ROWS = 5_000;
const PAGE_ROWS = 100;

/** Sends a list as CSV, page by page as the reader takes it. */
export async function sendCsv<Row>(
  { res }: Visit,
  name: string,
  cells: Cells<Row>,
  read: (paging: Paging) => Promise<List<Row>>,
): Promise<undefined> {
  const readPage = (page: number) => read({ page, page_size: PAGE_ROWS });
  const first = await readPage(1);
  res.set({ 'Content-Type': 'text/csv; charset=utf-8', 'Content-Disposition': `attachment; filename="${name}.csv"` });
  res.write(BYTE_ORDER_MARK + csvLine(Object.keys(cells)));
  const pages = Math.min(first.pagination.total_pages, MOST_ROWS / PAGE_ROWS);
  for (let page = 1; page <= pages && !res.destroyed; page += 1) {
    const { data } = page === 1 ? first : await readPage(page);
    const isTaken = res.write(data.map((row) => csvLine(Object.values(cells).map((cell) => safe(cell(row))))).join(''));
    if (!isTaken) await new Promise((resolve) => res.once('drain', resolve).once('close', resolve));
  }
  res.end();
}

/** A text that a spreadsheet would work out as a formula gets an apostrophe before it. */
const safe = (cell: Cell): Cell => (typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell);
