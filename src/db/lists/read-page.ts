import type { AliasableExpression, SelectQueryBuilder, Simplify } from 'kysely';
import { type Listed, offsetOf, type Page } from '../../base/page.js';
import type { Db } from '../connect.js';
import type { Database } from '../tables/database.js';

/**
 * One page of a query's rows, in the order of the query, and the exact number of all rows. For that number `matching`
 * finds as many rows at a lower cost.
 */
export async function readPage<Joined extends Database, Tables extends keyof Joined, Row>(
  db: Db,
  query: SelectQueryBuilder<Joined, Tables, Row>,
  page: Page,
  matching: AliasableExpression<unknown> = query.clearSelect().clearOrderBy(),
): Promise<Listed<Simplify<Row>>> {
  // One after the other: a request that took two connections at once would starve others of them.
  const rows = await query.limit(page.pageSize).offset(offsetOf(page)).execute();
  if (rows.length > 0 && rows.length < page.pageSize) return { rows, total: offsetOf(page) + rows.length };
  const { total } = await db
    .selectFrom(matching.as('matching'))
    .select(({ fn }) => fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}
