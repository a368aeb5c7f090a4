import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { KeyRing } from '../../base/secrets/keys.js';
import { headOf, open, opens, sealedBy } from '../../base/secrets/seal.js';
import type { Obstacle } from '../../base/telemetry/readiness.js';
import type { Db } from '../connect.js';
import { row } from '../row.js';
import type { Database } from '../tables/database.js';

/** A table with columns that only the service's key ring can open. */
export interface SealedTable {
  table: keyof Database;
  /** The name of the table for operators. */
  what: string;
  /** The columns of the primary key: texts or UUIDs. */
  key: readonly string[];
  sealed: readonly string[];
  current: RawBuilder<SqlBool>;
  ownerOf: (key: readonly string[]) => string;
}

/** A row's key, and the id of the key that sealed each of its columns. */
export interface SealedRow {
  key: string[];
  sealedBy: (string | undefined)[];
}

const PAGE_SIZE = 1_000;
// Longest head of sealed bytes: format, length of the key's id, and the id.
const HEAD_BYTES = 34;

/** Reads every row that is still in use, in pages by primary key. Each statement reads a bounded number. */
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
 * Checks that the ring opens one value of each key in use, in each table. Otherwise returns an obstacle. Each process
 * stores the ids of its ring; without stored ids, it reads all rows for the ids in use. `forget` removes stored ids
 * that nobody needs.
 */
export async function sealObstacle(
  db: Db,
  ring: KeyRing,
  tables: readonly SealedTable[],
  { forget = false } = {},
): Promise<Obstacle | undefined> {
  const own = ring.map(({ id }) => id);
  const noted = (await db.selectFrom('sealing_keys').select('id').execute()).map(({ id }) => id);
  const ids = new Set([...own, ...(noted.length > 0 ? noted : await idsInUse(db, tables))]);
  const closed: Closed[] = [];
  for (const id of ids) {
    const what = await closedTables(db, ring, tables, id);
    if (what.length > 0) closed.push({ id, what, isMissing: !own.includes(id) });
  }
  if (closed.length > 0) return { reason: 'keys', text: textOf(closed) };
  const removed = noted.filter((id) => !own.includes(id));
  if (forget && removed.length > 0) await db.deleteFrom('sealing_keys').where('id', 'in', removed).execute();
  await db
    .insertInto('sealing_keys')
    .values(own.map((id) => row<'sealing_keys'>({ id })))
    .onConflict((same) => same.column('id').doNothing())
    .execute();
  return undefined;
}

interface Closed {
  id: string;
  what: readonly string[];
  isMissing: boolean;
}

async function idsInUse(db: Db, tables: readonly SealedTable[]): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const table of tables) {
    for await (const rows of sealedRows(db, table)) {
      for (const id of rows.flatMap((row) => row.sealedBy)) if (id !== undefined) ids.add(id);
    }
  }
  return ids;
}

async function closedTables(db: Db, ring: KeyRing, tables: readonly SealedTable[], id: string): Promise<string[]> {
  const closed: string[] = [];
  for (const table of tables) {
    const row = await rowSealedWith(db, table, id);
    if (row && !opens(() => row.sealed.map((bytes) => bytes && open(ring, bytes, table.ownerOf(row.key)))))
      closed.push(table.what);
  }
  return closed;
}

/** The columns that the key sealed in any one of its rows. */
async function rowSealedWith(db: Db, { table, key, sealed, current }: SealedTable, id: string) {
  const head = headOf(id);
  const isSealedWith = (name: string) => sql<boolean>`substr(${sql.ref(name)}, 1, ${head.length}) = ${head}`;
  const { rows } = await sql<{ key: string[]; sealed: (Buffer | null)[] }>`
    select array[${sql.join(key.map((name) => sql`${sql.ref(name)}::text`))}] as key,
      array[${sql.join(sealed.map((name) => sql`case when ${isSealedWith(name)} then ${sql.ref(name)} end`))}] as sealed
    from ${sql.table(table)}
    where ${current} and (${sql.join(sealed.map(isSealedWith), sql` or `)}) limit 1`.execute(db);
  return rows[0];
}

function textOf(closed: readonly Closed[]): string {
  const [missing, other] = [true, false].map((isMissing) => {
    const keys = closed.filter((each) => each.isMissing === isMissing);
    return keys.map(({ id, what }) => `"${id}" (${what.join(', ')})`).join(', ');
  });
  const texts = [
    missing &&
      `ENCRYPTION_KEYS lacks keys that the database is sealed with: ${missing}; give them after the first, until "malote keys reseal" has run`,
    other && `ENCRYPTION_KEYS has other secrets than those that the database is sealed with: ${other}`,
  ];
  return texts.filter(Boolean).join('; ');
}
