import { type QueryExecutorProvider, sql } from 'kysely';
import { indexStep, type Step } from './migration.js';

const indexes = { orders: '(account_id, changed, id)', packages: '(account_id, changed, loggi_key)' };

/**
 * Numbers orders and packages by the transaction that changed them last, of whatever release (src/db/changed-since.ts).
 * Rows of before count as changed by this one: a default that is not volatile is stored once for all of them.
 */
export async function up(db: QueryExecutorProvider): Promise<void> {
  await sql`
    create table change_marks (
      marked_at timestamptz primary key,
      timeline integer not null,
      oldest xid8 not null
    )`.execute(db);
  await sql`
    create function note_change() returns trigger language plpgsql as $$
    begin
      new.changed := pg_current_xact_id();
      return new;
    end $$`.execute(db);
  // A package shows the order that takes it back.
  await sql`
    create function note_return() returns trigger language plpgsql as $$
    begin
      update packages set changed = default where loggi_key = new.loggi_key;
      return null;
    end $$`.execute(db);
  await sql`
    create trigger note_return after insert on package_returns
    for each row execute function note_return()`.execute(db);
  for (const [name, columns] of Object.entries(indexes)) {
    const table = sql.table(name);
    await sql`alter table ${table} add column changed xid8 not null default pg_current_xact_id()`.execute(db);
    await sql`
      create trigger note_change before update on ${table} for each row execute function note_change()`.execute(db);
    // It is valid once each partition has its own; those that are made from now on get one.
    if (!(await parts(db, name)).includes(name))
      await sql`create index ${sql.id(`${name}_changed`)} on only ${table} ${sql.raw(columns)}`.execute(db);
  }
}

/** The partitions of a table that lack its index, in the order of their names; of a plain table itself. */
async function parts(db: QueryExecutorProvider, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select part.relname as name from pg_class part left join pg_inherits on inhrelid = part.oid
    where part.oid = ${table}::regclass and part.relkind = 'r' or inhparent = ${table}::regclass and not exists (
      select from pg_index own join pg_inherits attached on attached.inhrelid = own.indexrelid
      where own.indrelid = part.oid and attached.inhparent = to_regclass(${`${table}_changed`}))
    order by name`.execute(db);
  return rows.map(({ name }) => name);
}

const partsStep = (table: string, columns: string): Step => ({
  name: `index parts of ${table}`,
  run: async (db) => {
    for (const part of await parts(db, table)) await indexStep(`${part}_changed`, `on ${part} ${columns}`).run(db);
  },
});

const attachStep = (table: string): Step => ({
  name: `attach indexes of ${table}`,
  chunk: async (db) => {
    const [part] = await parts(db, table);
    if (part === undefined || part === table) return undefined;
    await sql`
      alter index ${sql.id(`${table}_changed`)} attach partition ${sql.id(`${part}_changed`)}`.execute(db);
    return { after: part, rows: 1 };
  },
});

export const steps: readonly Step[] = Object.entries(indexes).flatMap(([table, columns]) => [
  partsStep(table, columns),
  attachStep(table),
]);
