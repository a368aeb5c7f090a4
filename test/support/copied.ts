import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.js';
import { transaction } from '../../src/db/transaction.js';

/** Makes a database look like a copy by pg_dump on a server that has given out fewer transaction numbers. */
export const makeCopied = (db: Db): Promise<void> =>
  transaction(db, async (trx) => {
    // Triggers are off, so that no trigger gives the rows new numbers.
    await sql`set local session_replication_role = replica`.execute(trx);
    for (const table of ['orders', 'packages'])
      await sql`update ${sql.table(table)} set changed = '9000000000'`.execute(trx);
    await sql`update change_marks set oldest = '9000000000'`.execute(trx);
    await sql`update change_numbers set server = '1'`.execute(trx);
  });
