import { type QueryExecutorProvider, sql } from 'kysely';

/** Runs SQL as text: the types of tables are those of today, and a migration is not. */
type Connection = QueryExecutorProvider;

/** Exports of a migration's file. docs/migrations.md says which statements may stand where, and a test tries it. */
export interface Migration {
  /** Runs in one transaction, again when a table is in use. No statement reads or writes the rows of a filled table. */
  up(db: Connection): Promise<void>;
  /** Work that takes long, in this order, once `up` is committed. Cut off, it goes on with the step that was cut. */
  steps?: readonly Step[];
  /** The oldest release that the schema serves from then on, if it takes away what earlier ones use. */
  serves?: { from: string };
}

export type Step = StatementStep | ChunkStep;

/** Runs outside of a transaction, such as `create index concurrently`. Cut off, it runs again from its start. */
interface StatementStep {
  name: string;
  run(db: Connection): Promise<void>;
}

/** Goes through many rows, a bounded number in each transaction, while two releases write to the table. */
export interface ChunkStep {
  name: string;
  /**
   * Goes on `after` the last result, which its transaction recorded, in whatever form the step understands; undefined
   * when nothing is left.
   */
  chunk(db: Connection, after: string | undefined): Promise<{ after: string; rows: number } | undefined>;
}

/** The database cannot be used by this release; its message is one line for an operator. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

/** An `up` of statements that are sent together. */
export const sqlOf =
  (statements: string): Migration['up'] =>
  async (db) =>
    void (await sql.raw(statements).execute(db));

/** Builds an index while the table is written to; `definition` follows its name, e.g. `on orders (account_id)`. */
export function indexStep(index: string, definition: string, { unique = false } = {}): StatementStep {
  const name = sql.id(index);
  const kind = sql.raw(unique ? 'unique index' : 'index');
  return {
    name: `index ${index}`,
    run: async (db) => {
      const { rows } = await sql<{ valid: boolean }>`
        select indisvalid as valid from pg_index where indexrelid = to_regclass(${index})`.execute(db);
      if (rows[0]?.valid) return;
      if (rows.length > 0) await sql`drop index concurrently ${name}`.execute(db);
      await sql`create ${kind} concurrently ${name} ${sql.raw(definition)}`.execute(db);
    },
  };
}

/**
 * Builds an index of a partitioned table while it is written to, partition by partition; `up` made it `on only` the
 * table, from when on new partitions have it.
 */
export const partitionedIndexSteps = (index: string, table: string, columns: string): readonly Step[] => [
  {
    name: `index ${index} of partitions`,
    run: async (db) => {
      for (const part of await partitionsWithout(db, index, table))
        await indexStep(`${part}_${index}`, `on ${part} ${columns}`).run(db);
    },
  },
  {
    name: `attach ${index}`,
    chunk: async (db) => {
      const [part] = await partitionsWithout(db, index, table);
      if (part === undefined) return undefined;
      await sql`alter index ${sql.id(index)} attach partition ${sql.id(`${part}_${index}`)}`.execute(db);
      return { after: part, rows: 1 };
    },
  },
];

async function partitionsWithout(db: Connection, index: string, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select part.relname as name from pg_inherits join pg_class part on part.oid = inhrelid
    where inhparent = ${table}::regclass and not exists (
      select from pg_index own join pg_inherits attached on attached.inhrelid = own.indexrelid
      where own.indrelid = part.oid and attached.inhparent = ${index}::regclass)
    order by name`.execute(db);
  return rows.map(({ name }) => name);
}
