import { sql } from 'kysely';
import { NIL } from 'uuid';
import type { Db } from '../connect.js';
import { oneRow, scalar } from '../one-row.js';
import { transaction } from '../transaction.js';
import { timeline } from './replica.js';

// Changes have the numbers of one server's transactions. A copy by pg_dump or logical replication takes these numbers
// to a server that counts from the start. New changes there would get smaller numbers than copied ones, and lists would
// miss them.

const thisServer = sql`(select system_identifier::text from pg_control_system())`;

/** The numbering of this server. Null in a copy that was not renumbered yet. */
export const numbering = sql<number | null>`(select numbering from change_numbers where server = ${thisServer})`;

export const isCopied = async (db: Db): Promise<boolean> => (await scalar(db, numbering)) === null;

const tables = [
  ['orders', 'id'],
  ['packages', 'loggi_key'],
] as const;

const CHUNK = 1_000;

/**
 * Numbers changes again in a copy, beside running processes. `progress` counts the rows of a table. Cursors from before
 * then read everything once more. After an interruption it begins again. Resolves to the number of changed rows.
 */
export async function renumber(db: Db, progress: (rows: number, table: string) => void): Promise<number> {
  // A smaller number belongs to a transaction that has ended. Lists show such rows from every position.
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
  /** Null if there are no more rows. */
  last: string | null;
  renumbered: number;
}

/**
 * Marks this server as the numbering one. Catch-ups read all packages again; the times of movements tell which are
 * owed.
 */
async function takeOver(trx: Db): Promise<void> {
  // Without the row, the copy had the first numbering or an unknown one.
  await sql`
    insert into change_numbers (server, numbering) values (${thisServer}, 2)
    on conflict ((true)) do update set server = excluded.server, numbering = change_numbers.numbering + 1`.execute(trx);
  await sql`delete from change_marks`.execute(trx);
  await sql`
    update webhook_catch_ups
    set timeline = ${timeline}, known = null, from_changed = '0', after_changed = '0', after_key = ${NIL}`.execute(trx);
}
