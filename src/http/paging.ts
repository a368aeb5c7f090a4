import { wholeMillisecond } from '../base/clock.js';
import { invalid } from '../base/errors.js';
import type { Listed, Page } from '../base/page.js';
import type { Changes, ChangesFrom } from '../db/lists/changed-since.js';

interface PageQuery {
  readonly page?: number;
  readonly page_size?: number;
}

/** The page that a validated query asks for. The default is the first 20 records. */
export const pageOf = ({ page = 1, page_size: pageSize = 20 }: PageQuery): Page => ({ page, pageSize });

/** Makes the body of one page of a list. `toX` converts each row to the form of the contract. */
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

interface ChangesQuery {
  readonly updated_from?: string;
  readonly cursor?: string;
}

/**
 * The point from which a list of changes starts. Undefined if the query asks for the plain list. Throws
 * VALIDATION_ERROR.
 */
function changesFrom(query: PageQuery & ChangesQuery): ChangesFrom | undefined {
  const { page, page_size: _, updated_from: time, cursor, ...filters } = query;
  if (time === undefined && cursor === undefined) return undefined;
  const others = { ...filters, ...(page !== 1 && { page }), ...(cursor !== undefined && { updated_from: time }) };
  const refused = Object.entries(others).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  const message = `cannot be combined with ${cursor === undefined ? 'updated_from' : 'cursor'}`;
  if (refused.length > 0) throw invalid(refused.map((field) => ({ field, code: 'contradiction', message })));
  return cursor === undefined ? { time: wholeMillisecond(time ?? '') } : { cursor };
}

interface ChangingList<Row> {
  list(page: Page): Promise<Listed<Row>>;
  changes(from: ChangesFrom, size: number): Promise<Changes<Row>>;
}

/** Answers a page of a list, or of its changes since a time if the query asks for them. Changes are not counted. */
export async function changingReply<Row, T>(
  query: PageQuery & ChangesQuery,
  { list, changes }: ChangingList<Row>,
  toX: (row: Row) => T,
) {
  const from = changesFrom(query);
  const page = pageOf(query);
  const read = from ? await changes(from, page.pageSize) : undefined;
  const { data, pagination } = listBody(read ? { ...read, total: read.rows.length } : await list(page), page, toX);
  return { status: 200 as const, body: { data, pagination, next_cursor: read?.nextCursor, has_more: read?.hasMore } };
}
