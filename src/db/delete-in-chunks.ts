import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from './connect.js';
import type { Database } from './tables/database.js';
import { transaction } from './transaction.js';

const CHUNK = 5_000;

/**
 * Deletes the matching rows, a bounded number per transaction, along an index that begins with `column`. Resolves to
 * their number. Each transaction begins where the one before ended, because deleted rows stay until a vacuum, and would
 * be read again.
 */
export async function deleteInChunks(
  db: Db,
  table: keyof Database,
  column: string,
  condition: RawBuilder<SqlBool>,
): Promise<number> {
  const key = sql.ref(column);
  const next = async (trx: Db, after: string | undefined) => {
    const rest = after === undefined ? sql`true` : sql`${key} >= ${after}`;
    // Before PostgreSQL has counted the rows, it would read and sort all of them for each chunk.
    await sql`set local enable_sort = off`.execute(trx);
    const { rows } = await sql<{ read: number; deleted: number; last: string | null }>`
      with chunk as (
        select ctid as place, ${key} as key from ${sql.table(table)}
        where ${condition} and ${rest} order by ${key} limit ${CHUNK}
      ), deleted as (
        delete from ${sql.table(table)} where ctid = any(array(select place from chunk)) and ${condition} returning 1
      )
      select (select count(*) from chunk)::integer as read, (select count(*) from deleted)::integer as deleted,
        (select max(key) from chunk)::text as last`.execute(trx);
    return rows[0];
  };
  let total = 0;
  for (let after: string | undefined; ; ) {
    const chunk = await transaction(db, (trx) => next(trx, after));
    total += chunk?.deleted ?? 0;
    if (!chunk || chunk.read < CHUNK) return total;
    after = chunk.last ?? undefined;
  }
}
