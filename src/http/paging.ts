import type { Listed, Page } from '../base/page.js';

interface PageQuery {
  readonly page?: number;
  readonly page_size?: number;
}

/** The page that a validated query names; the first twenty records when it names none. */
export const pageOf = ({ page = 1, page_size: pageSize = 20 }: PageQuery): Page => ({ page, pageSize });

/** One page of a list as the contracts answer it, each row through the edge's `toX`. */
export function listBody<Row, T>(
  { rows, total }: Listed<Row>,
  { page, pageSize }: Page,
  toX: (row: Row, at: number) => T,
) {
  const pagination = { page, page_size: pageSize, total_items: total, total_pages: Math.ceil(total / pageSize) };
  return { data: rows.map(toX), pagination };
}

export async function listReply<Row, T>(
  query: PageQuery,
  read: (page: Page) => Promise<Listed<Row>>,
  toX: (row: Row, at: number) => T,
) {
  const page = pageOf(query);
  return { status: 200 as const, body: listBody(await read(page), page, toX) };
}
