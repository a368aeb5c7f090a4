import { sql } from 'kysely';
import { NIL } from 'uuid';
import type { Db } from '../connect.js';
import { oneRow, scalar } from '../one-row.js';
import { transaction } from '../transaction.js';
import { timeline } from './replica.js';

// Changes are numbered by the transactions of one server. A copy by pg_dump or logical replication brings these numbers
// to a server that counts anew: its changes would come before the copied ones, and a list would leave them out.

const thisServer = sql`(select system_identifier::text from pg_control_system())`;

/** The numbering of this server; null at a copy that nobody has renumbered yet. */
export const numbering = sql<number | null>`(select numbering from change_numbers where server = ${thisServer})`;

export const isCopied = async (db: Db): Promise<boolean> => (await scalar(db, numbering)) === null;

const tables = [
  ['orders', 'id'],
  ['packages', 'loggi_key'],
] as const;

const CHUNK = 1_000;

/**
 * Numbers changes anew at a copy, beside running processes; `progress` counts the rows of a table. Cursors of before
 * then read everything once more. Cut off, it begins again. Resolves to the number of rows that changed.
 */
export async function renumber(db: Db, progress: (rows: number, table: string) => void): Promise<number> {
  // Smaller numbers are those of transactions that have ended: lists show such rows, wherever a cursor begins anew.
  const begun = await scalar(db, sql<string>`pg_snapshot_xmin(pg_current_snapshot())::text`);
  let renumbered = 0;
  for (const [table, key] of tables) {
    const [name, column] = [sql.table(table), sql.ref(key)];
    let looked = 0;
    for (let after: string | null = NIL; after !== null; ) {
      const chunk: Chunk = await transaction(db, async (trx) => {
        const bounds = sql<Omit<Chunk, 'renumbered'>>`
          select count(*)::integer as read, (array_agg(key order by key desc))[1]::text as last
          from (select ${column} as key from ${name} where ${column} > ${after} order by ${column} limit ${CHUNK}) chunk`;
        const { read, last } = await oneRow(trx, bounds);
        const { numAffectedRows = 0n } = await sql`
          update ${name} set changed = default
          where ${column} > ${after} and ${column} <= ${last} and changed >= ${begun}::xid8`.execute(trx);
        return { read, last, renumbered: Number(numAffectedRows) };
      });
      looked += chunk.read;
      renumbered += chunk.renumbered;
      after = chunk.last;
      progress(looked, table);
    }
  }
  await transaction(db, takeOver);
  return renumbered;
}

interface Chunk {
  read: number;
  /** Null when nothing is left. */
  last: string | null;
  renumbered: number;
}

/** Catch-ups look through all packages once more: the times of their movements tell which are owed. */
async function takeOver(trx: Db): Promise<void> {
  // A copy without the row had the first numbering, or nobody knows which.
  await sql`
    insert into change_numbers (server, numbering) values (${thisServer}, 2)
    on conflict ((true)) do update set server = excluded.server, numbering = change_numbers.numbering + 1`.execute(trx);
  await sql`delete from change_marks`.execute(trx);
  await sql`
    update webhook_catch_ups
    set timeline = ${timeline}, known = null, from_changed = '0', after_changed = '0', after_key = ${NIL}`.execute(trx);
}
