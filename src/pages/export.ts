import { BYTE_ORDER_MARK, type Cell, csvLine, protectedCell } from '../files/csv.js';
import type { Text } from './texts.js';
import type { Schemas, Visit } from './visit.js';
import { type FileWords, fileWords } from './written.js';

/** The columns of a CSV file: the heading, and a function that writes the cell in the language of the page. */
export type Cells<Row> = readonly (readonly [heading: Text, cell: (row: Row, write: FileWords) => Cell])[];

export interface List<Row> {
  data: readonly Row[];
  pagination: Schemas['Pagination'];
}

export interface Paging {
  page?: number;
  page_size?: number;
}

/** Maximum number of rows in a file. They are read page by page from the operation. */
const MAX_ROWS = 5_000;
const PAGE_ROWS = 100;

/** Spreadsheets in Portuguese use a decimal comma, so a semicolon separates their cells. */
const separators = { 'pt-BR': ';', en: ',' } as const;

/**
 * Sends a list as CSV in the language of the page. It reads the next page only when the client has taken the last one.
 */
export async function sendCsv<Row>(
  { res, language, say }: Visit,
  name: string,
  cells: Cells<Row>,
  read: (paging: Paging) => Promise<List<Row>>,
): Promise<undefined> {
  const readPage = (page: number) => read({ page, page_size: PAGE_ROWS });
  const write = fileWords(language);
  const line = (row: readonly Cell[]) => csvLine(row, separators[language]);
  const first = await readPage(1);
  res.set({ 'Content-Type': 'text/csv; charset=utf-8', 'Content-Disposition': `attachment; filename="${name}.csv"` });
  res.write(BYTE_ORDER_MARK + line(cells.map(([heading]) => say(heading))));
  const pages = Math.min(first.pagination.total_pages, MAX_ROWS / PAGE_ROWS);
  for (let page = 1; page <= pages && !res.destroyed; page += 1) {
    const { data } = page === 1 ? first : await readPage(page);
    const isTaken = res.write(
      data.map((row) => line(cells.map(([, cell]) => protectedCell(cell(row, write))))).join(''),
    );
    if (!isTaken) await new Promise((resolve) => res.once('drain', resolve).once('close', resolve));
  }
  res.end();
}

/** Groups a code in fours, so that a spreadsheet reads it as a text. Readers of codes ignore the blanks. */
export const grouped = (code: string): string => code.replace(/(.{4})(?=.)/g, '$1 ');
