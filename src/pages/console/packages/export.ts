import type { Schemas } from '../../session/operations.js';
import type { Visit } from '../../session/visit.js';

type Cell = string | number | null | undefined;

/** Columns of a file by their headings. */
export type Cells<Row> = Readonly<Record<string, (row: Row) => Cell>>;

interface List<Row> {
  data: readonly Row[];
  pagination: Schemas['Pagination'];
}

/** Rows of a file at most, read in pages of the operation. */
const MOST_ROWS = 5_000;
export const EXPORT_PAGE = 100;

/**
 * Sends a list as CSV, page by page as the reader takes it: `;` and a byte order mark, by which spreadsheets in
 * Portuguese open it.
 */
export async function sendCsv<Row>(
  { res }: Visit,
  name: string,
  cells: Cells<Row>,
  read: (page: number) => Promise<List<Row>>,
): Promise<void> {
  const line = (values: readonly Cell[]) => `${values.map(csvCell).join(';')}\r\n`;
  const first = await read(1);
  res.set({ 'Content-Type': 'text/csv; charset=utf-8', 'Content-Disposition': `attachment; filename="${name}.csv"` });
  res.write(`\uFEFF${line(Object.keys(cells))}`);
  const pages = Math.min(first.pagination.total_pages, MOST_ROWS / EXPORT_PAGE);
  for (let page = 1; page <= pages && !res.destroyed; page += 1) {
    const { data } = page === 1 ? first : await read(page);
    const isTaken = res.write(data.map((row) => line(Object.values(cells).map((cell) => cell(row)))).join(''));
    if (!isTaken) await new Promise((resolve) => res.once('drain', resolve).once('close', resolve));
  }
  res.end();
}

/** A text that a spreadsheet would work out as a formula gets an apostrophe before it. */
function csvCell(value: Cell): string {
  const text = String(value ?? '');
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
