import { Buffer } from 'node:buffer';
import { sql } from 'kysely';
import type { KeyRing } from '../../src/base/secrets/keys.js';
import { open, SealError } from '../../src/base/secrets/seal.js';
import type { Db } from '../../src/db/connect.js';
import { answerName, unpacked } from '../../src/idempotency/stored-answers.js';

type Row = Record<string, unknown>;

/** Every ordinary table in the catalogue of the database, so that new tables are searched, too. */
async function tables(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select quote_ident(nspname) || '.' || quote_ident(relname) as name
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind in ('r', 'p', 'm') and not relispartition and nspname not in ('pg_catalog', 'information_schema')
      and nspname not like 'pg_toast%'
    order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/** The texts to which sealed bytes of a row may be bound. */
function owners(row: Row): string[] {
  const { id, account_id: accountId, operation, key, loggi_key: loggiKey, kind } = row;
  const answer = { accountId: String(accountId), operation: String(operation), key: String(key) };
  return [String(id), answerName(answer), ...['facts', 'pin', kind].map((what) => `${loggiKey} ${what}`)];
}

/** The bytes as text, and the text that is sealed in them. */
function textsOf(bytes: Buffer, row: Row, column: string, ring: KeyRing): string[] {
  const opened = owners(row).flatMap((owner) => {
    try {
      const plain = open(ring, bytes, owner);
      return [column === 'answer' ? unpacked(plain) : plain.toString('utf8')];
    } catch (error) {
      if (error instanceof SealError) return [];
      throw error;
    }
  });
  return [bytes.toString('utf8'), ...opened];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** The places of each needle, as `needle → ['public.table.column', …]`. The ring opens sealed bytes. */
export async function haystack(db: Db, ring: KeyRing, needles: Record<string, string>) {
  const places: Record<string, string[]> = {};
  for (const table of await tables(db)) {
    const { rows } = await sql<Row>`select * from ${sql.raw(table)}`.execute(db);
    for (const row of rows) {
      for (const [column, value] of Object.entries(row)) {
        const values: readonly unknown[] = Array.isArray(value) ? value : [value];
        const texts = values.flatMap((each) =>
          Buffer.isBuffer(each) ? textsOf(each, row, column, ring) : [textOf(each)],
        );
        for (const [name, needle] of Object.entries(needles)) {
          if (!texts.some((text) => text.includes(needle))) continue;
          places[name] = [...new Set([...(places[name] ?? []), `${table}.${column}`])].sort();
        }
      }
    }
  }
  return places;
}
