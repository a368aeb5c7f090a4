import { type QueryExecutorProvider, sql } from 'kysely';

/** Runs SQL as text. The types of tables describe the present schema, and a migration does not run on that. */
type Connection = QueryExecutorProvider;

/**
 * The exports of a migration's file. docs/migrations.md tells which statements are allowed where, and a test checks it.
 */
export interface Migration {
  /** Runs in one transaction, and again if a table is in use. It must not read or write rows of a table with data. */
  up(db: Connection): Promise<void>;
  /**
   * Long work that runs in this order after the commit of `up`. After an interruption it resumes with the interrupted
   * step.
   */
  steps?: readonly Step[];
  /**
   * The oldest release that can use the schema afterwards. Set if the migration removes a thing that earlier releases
   * use.
   */
  serves?: { from: string };
}

export type Step = StatementStep | ChunkStep;

/**
 * Runs outside a transaction, for example `create index concurrently`. After an interruption it runs again from its
 * start.
 */
interface StatementStep {
  name: string;
  run(db: Connection): Promise<void>;
}

/** Processes many rows, a bounded number per transaction, while two releases write to the table. */
export interface ChunkStep {
  name: string;
  /**
   * Processes the next rows after the last result, `after`, which the transaction stores in the step's own form.
   * Undefined at the end.
   */
  chunk(db: Connection, after: string | undefined): Promise<{ after: string; rows: number } | undefined>;
}

/** Thrown if this release cannot use the database. The message is one line for an operator. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

/** Makes an `up` of statements that are sent together. */
export const sqlOf =
  (statements: string): Migration['up'] =>
  async (db) =>
    void (await sql.raw(statements).execute(db));

/**
 * Builds an index while the table is written to. `definition` follows its name, for example `on orders (account_id)`.
 */
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
 * Builds an index of a partitioned table while it is written to, partition by partition. `up` creates it `on only` the
 * table; from then on new partitions have it.
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
