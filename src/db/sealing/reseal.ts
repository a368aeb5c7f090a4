import { sql } from 'kysely';
import type { KeyRing } from '../../base/secrets/keys.js';
import { open, SealError, seal, sealedBy } from '../../base/secrets/seal.js';
import type { Db } from '../connect.js';
import { transaction } from '../transaction.js';
import { type SealedRow, type SealedTable, sealedRows } from './sealed-tables.js';

export interface ResealSummary {
  resealed: Record<string, number>;
  /** True if the last pass over every row found no value with an old key. */
  complete: boolean;
}

const MAX_PASSES = 5;
const AT_ONCE = 4;

/**
 * Seals all values again under the ring's first key, row by row, beside running processes. After an interruption run it
 * again. `progress` counts rows. Throws SealError for values that the ring cannot open.
 */
export async function reseal(
  db: Db,
  ring: KeyRing,
  tables: readonly SealedTable[],
  progress: (looked: number, table: SealedTable) => void,
): Promise<ResealSummary> {
  const resealed = Object.fromEntries(tables.map(({ what }): [string, number] => [what, 0]));
  for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
    let left = 0;
    for (const table of tables) {
      let looked = 0;
      for await (const rows of sealedRows(db, table)) {
        const old = rows.filter((row) => row.sealedBy.some((id) => id !== undefined && id !== ring[0].id));
        left += old.length;
        resealed[table.what] = (resealed[table.what] ?? 0) + (await resealRows(db, ring, table, old));
        looked += rows.length;
        progress(looked, table);
      }
    }
    if (left === 0) return { resealed, complete: true };
  }
  return { resealed, complete: false };
}

async function resealRows(db: Db, ring: KeyRing, table: SealedTable, rows: readonly SealedRow[]): Promise<number> {
  let changed = 0;
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    const some = rows.slice(start, start + AT_ONCE);
    const results = await Promise.all(some.map(({ key }) => resealRow(db, ring, table, key)));
    changed += results.filter(Boolean).length;
  }
  return changed;
}

/** Seals a row again, under its lock, so that no write of another process is lost. False if the row is gone. */
function resealRow(db: Db, ring: KeyRing, table: SealedTable, key: readonly string[]): Promise<boolean> {
  const name = sql.table(table.table);
  const isRow = sql`(${sql.join(table.key.map((column) => sql.ref(column)))}) = (${sql.join(key)}) and ${table.current}`;
  const columns = sql.join(table.sealed.map((column) => sql.ref(column)));
  return transaction(db, async (trx) => {
    const query = sql<Record<string, Buffer | null>>`select ${columns} from ${name} where ${isRow} for update`;
    const sealed = Object.entries((await query.execute(trx)).rows[0] ?? {});
    const changes = sealed.flatMap(([column, bytes]) =>
      bytes && sealedBy(bytes) !== undefined ? [sql`${sql.ref(column)} = ${sealedAnew(ring, table, key, bytes)}`] : [],
    );
    if (changes.length === 0) return false;
    await sql`update ${name} set ${sql.join(changes)} where ${isRow}`.execute(trx);
    return true;
  });
}

function sealedAnew(ring: KeyRing, { what, ownerOf }: SealedTable, key: readonly string[], sealed: Buffer): Buffer {
  const owner = ownerOf(key);
  try {
    return seal(ring, open(ring, sealed, owner), owner);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new SealError(`${what}, ${owner}: ${error.message}`, { cause: error });
  }
}
