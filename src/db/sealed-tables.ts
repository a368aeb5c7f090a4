import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { KeyRing } from '../base/keys.js';
import { sealedBy } from '../base/seal.js';
import { ConfigError } from '../base/settings.js';
import type { Db } from './connect.js';
import type { Database } from './tables.js';

/** A table with columns that only the service's key ring opens. */
export interface SealedTable {
  table: keyof Database;
  /** What is sealed, in words for the operator. */
  what: string;
  /** The columns of the primary key, of text or UUIDs. */
  key: readonly string[];
  sealed: readonly string[];
  /** The rows that are still opened. */
  current: RawBuilder<SqlBool>;
  /** What the sealed bytes of the row with this key belong to. */
  ownerOf: (key: readonly string[]) => string;
}

/** A row's key, and which key sealed each of its columns. */
export interface SealedRow {
  key: string[];
  sealedBy: (string | undefined)[];
}

const PAGE_SIZE = 1_000;
// Format, length of the key's id and the longest id.
const HEAD_BYTES = 34;

/** Every row that is still opened, in pages of the primary key's order: each statement reads a bounded number of rows. */
export async function* sealedRows(db: Db, { table, key, sealed, current }: SealedTable): AsyncGenerator<SealedRow[]> {
  const columns = sql.join(key.map((name) => sql.ref(`${table}.${name}`)));
  const heads = sql.join(sealed.map((name) => sql`substr(${sql.ref(name)}, 1, ${HEAD_BYTES})`));
  for (let last: readonly string[] | undefined; ; ) {
    const after = last ? sql`(${columns}) > (${sql.join(last)})` : sql`true`;
    const { rows } = await sql<{ key: string[]; heads: (Buffer | null)[] }>`
      select array[${sql.join(key.map((name) => sql`${sql.ref(name)}::text`))}] as key, array[${heads}] as heads
      from ${sql.table(table)} where ${current} and ${after} order by ${columns} limit ${PAGE_SIZE}`.execute(db);
    yield rows.map((row) => ({ key: row.key, sealedBy: row.heads.map((head) => (head ? sealedBy(head) : undefined)) }));
    if (rows.length < PAGE_SIZE) return;
    last = rows.at(-1)?.key;
  }
}

/**
 * Makes sure that the ring opens whatever is sealed. Throws ConfigError with one line that names each missing key and what it seals.
 *
 * Each start notes the ids of its ring. Only when one of those noted is missing from the ring, or none is noted yet, the tables are read.
 */
export async function demandSealingKeys(db: Db, ring: KeyRing, tables: readonly SealedTable[]): Promise<void> {
  const ids = ring.map(({ id }) => id);
  const noted = (await db.selectFrom('sealing_keys').select('id').execute()).map(({ id }) => id);
  const removed = noted.filter((id) => !ids.includes(id));
  if (noted.length === 0 || removed.length > 0) await demandUsed(db, ids, tables);
  if (removed.length > 0) await db.deleteFrom('sealing_keys').where('id', 'in', removed).execute();
  await db
    .insertInto('sealing_keys')
    .values(ids.map((id) => ({ id })))
    .onConflict((same) => same.column('id').doNothing())
    .execute();
}

async function demandUsed(db: Db, ids: readonly string[], tables: readonly SealedTable[]): Promise<void> {
  const missing = new Map<string, Set<string>>();
  for (const table of tables) {
    for await (const rows of sealedRows(db, table)) {
      for (const id of rows.flatMap((row) => row.sealedBy)) {
        if (id !== undefined && !ids.includes(id)) missing.set(id, (missing.get(id) ?? new Set()).add(table.what));
      }
    }
  }
  if (missing.size === 0) return;
  const named = [...missing].map(([id, what]) => `"${id}" (${[...what].join(', ')})`);
  throw new ConfigError(
    `ENCRYPTION_KEYS lacks keys that the database is sealed with: ${named.join(', ')}; give them after the first, until "malote keys reseal" has run`,
  );
}
