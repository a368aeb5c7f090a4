import type { AliasableExpression, SelectQueryBuilder, Simplify } from 'kysely';
import { type Listed, offsetOf, type Page } from '../../base/page.js';
import type { Db } from '../connect.js';
import type { Database } from '../tables/database.js';

/**
 * Reads one page of a query, in its order, and the exact number of all rows. `matching` is a cheaper query with the
 * same number of rows, for the count.
 */
export async function readPage<Joined extends Database, Tables extends keyof Joined, Row>(
  db: Db,
  query: SelectQueryBuilder<Joined, Tables, Row>,
  page: Page,
  matching: AliasableExpression<unknown> = query.clearSelect().clearOrderBy(),
): Promise<Listed<Simplify<Row>>> {
  // Two queries, one after the other. A request that takes two connections at once would keep others waiting.
  const rows = await query.limit(page.pageSize).offset(offsetOf(page)).execute();
  if (rows.length > 0 && rows.length < page.pageSize) return { rows, total: offsetOf(page) + rows.length };
  const { total } = await db
    .selectFrom(matching.as('matching'))
    .select(({ fn }) => fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}
