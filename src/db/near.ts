import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { idsAround } from '../base/ids.js';

/** Keeps a query that names ids of orders or keys of packages to the partitions in which these can be. */
export function near(column: string, ids: readonly string[]): RawBuilder<SqlBool> {
  const [from, to] = idsAround(ids);
  return sql<SqlBool>`${sql.ref(column)} between ${from}::uuid and ${to}::uuid`;
}
