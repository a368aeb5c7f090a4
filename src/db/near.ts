import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { idsAround } from '../base/ids.js';

/**
 * Keeps a query to the partitions in which something of these orders or packages can be; `column` is the id of an order
 * or the key of a package. It goes beside the condition that names them, which alone would have every partition looked
 * at.
 */
export function near(column: string, ids: readonly string[]): RawBuilder<SqlBool> {
  const [from, to] = idsAround(ids);
  return sql<SqlBool>`${sql.ref(column)} between ${from}::uuid and ${to}::uuid`;
}
