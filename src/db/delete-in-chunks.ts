import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from './connect.js';
import type { Database } from './tables.js';

const CHUNK = 5_000;

/** Deletes the rows that the condition holds for, a bounded number in each statement; resolves to their number. */
export async function deleteInChunks(db: Db, table: keyof Database, condition: RawBuilder<SqlBool>): Promise<number> {
  for (let total = 0; ; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where ${condition} limit ${CHUNK}
      )) and ${condition}`.execute(db);
    total += Number(numAffectedRows);
    if (numAffectedRows < CHUNK) return total;
  }
}
