import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../connect.js';
import { scalar } from '../one-row.js';
import { keyAt } from './periods.js';
import type { PartitionedTable } from './tables.js';

/** A unique index that is built beforehand, for a constraint that gets more columns. */
export const preparedIndex = (constraint: string): string => `${constraint}_next`;

/**
 * Puts a partitioned table in the place of a plain one, which becomes its first partition: all before the boundary.
 * Foreign keys that point at the table go, as each would have to be checked when a partition is dropped.
 */
export async function replace(trx: Db, table: PartitionedTable, boundary: Date): Promise<void> {
  const { name, key, kind } = table;
  const [parent, first] = [sql.table(name), sql.table(`${name}_first`)];
  const shape = await shapeOf(trx, name);
  await strip(trx, table, shape);
  await sql`alter table ${parent} rename to ${first}`.execute(trx);
  await sql`
    create table ${parent} (like ${first} including all excluding indexes excluding identity)
    partition by range (${sql.ref(key)})`.execute(trx);
  const dropBoundary = sql`drop constraint if exists ${sql.ref(`${name}_boundary`)}`;
  await sql`alter table ${parent} ${dropBoundary}`.execute(trx);
  await dress(trx, table, shape);
  const end = sql.lit(keyAt(kind, boundary));
  await sql`alter table ${parent} attach partition ${first} for values from (minvalue) to (${end})`.execute(trx);
  await sql`alter table ${first} ${dropBoundary}`.execute(trx);
}

/** Drops the foreign keys of other tables that point at the table. */
export async function dropPointers(trx: Db, table: string): Promise<void> {
  const { rows } = await sql<{ name: string; table: string }>`
    select conname as name, conrelid::regclass::text as table from pg_constraint
    where confrelid = ${table}::regclass and contype = 'f' and conparentid = 0 order by conname`.execute(trx);
  for (const pointer of rows)
    await sql`alter table ${sql.raw(pointer.table)} drop constraint ${sql.ref(pointer.name)}`.execute(trx);
}

/** Takes from the plain table what the partitioned one is to have alone, and frees the names of what both have. */
async function strip(trx: Db, { name, unique = {}, keyed = [] }: PartitionedTable, shape: Shape): Promise<void> {
  const table = sql.table(name);
  const run = (change: RawBuilder<unknown>) => sql`alter table ${table} ${change}`.execute(trx);
  await dropPointers(trx, name);
  for (const { name: trigger } of shape.triggers) await sql`drop trigger ${sql.ref(trigger)} on ${table}`.execute(trx);
  for (const { column } of shape.identities) await run(sql`alter column ${sql.ref(column)} drop identity`);
  for (const { name: constraint, kind } of shape.constraints) {
    const later = `${constraint}_first`;
    const next = preparedIndex(constraint);
    if (keyed.includes(constraint)) await run(sql`drop constraint ${sql.ref(constraint)}`);
    else if (!(constraint in unique)) await run(sql`rename constraint ${sql.ref(constraint)} to ${sql.ref(later)}`);
    else {
      await run(sql`drop constraint ${sql.ref(constraint)}`);
      if (shape.indexes.some((index) => index.name === next))
        await run(sql`add constraint ${sql.ref(later)} ${words[kind]} using index ${sql.ref(next)}`);
    }
  }
  for (const { name: index } of shape.indexes.filter(({ name: index }) => keyed.includes(index)))
    await sql`drop index ${sql.ref(index)}`.execute(trx);
  for (const { name: index } of ownIndexes(shape, unique, keyed))
    await sql`alter index ${sql.ref(index)} rename to ${sql.ref(`${index}_first`)}`.execute(trx);
}

const words = { p: sql`primary key`, u: sql`unique`, f: sql`foreign key` };

const ownIndexes = ({ indexes }: Shape, unique: object, keyed: readonly string[]) => {
  const others = [...Object.keys(unique).map(preparedIndex), ...keyed];
  return indexes.filter(({ name }) => !others.includes(name));
};

async function dress(trx: Db, { name, unique = {}, keyed = [] }: PartitionedTable, shape: Shape): Promise<void> {
  const run = (change: RawBuilder<unknown>) => sql`alter table ${sql.table(name)} ${change}`.execute(trx);
  for (const { name: constraint, kind, definition } of shape.constraints) {
    if (keyed.includes(constraint)) continue;
    const columns = unique[constraint]?.map((column) => sql.ref(column));
    const is = columns ? sql`${words[kind]} (${sql.join(columns)})` : sql.raw(definition);
    await run(sql`add constraint ${sql.ref(constraint)} ${is}`);
  }
  for (const { definition } of [...ownIndexes(shape, unique, keyed), ...shape.triggers])
    await sql.raw(definition).execute(trx);
  for (const { column, always, sequence, next } of shape.identities) {
    const mode = always ? sql`always` : sql`by default`;
    await run(
      sql`alter column ${sql.ref(column)} add generated ${mode} as identity (sequence name ${sql.raw(sequence)} start ${sql.lit(Number(next))})`,
    );
  }
}

/** Parts of a table besides columns and checks, as PostgreSQL writes them. */
interface Shape {
  constraints: { name: string; kind: 'p' | 'u' | 'f'; definition: string }[];
  indexes: { name: string; definition: string }[];
  triggers: { name: string; definition: string }[];
  /** Identity columns: their sequence, and the number that it gives next. */
  identities: { column: string; always: boolean; sequence: string; next: string }[];
}

async function shapeOf(db: Db, table: string): Promise<Shape> {
  const own = sql`${table}::regclass`;
  const { rows: constraints } = await sql<Shape['constraints'][number]>`
    select conname as name, contype as kind, pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = ${own} and contype in ('p', 'u', 'f') order by conname`.execute(db);
  const { rows: indexes } = await sql<Shape['indexes'][number]>`
    select relname as name, pg_get_indexdef(indexrelid) as definition from pg_index join pg_class on pg_class.oid = indexrelid
    where indrelid = ${own} and indisvalid and not exists (select from pg_constraint where conindid = indexrelid)
    order by relname`.execute(db);
  const { rows: triggers } = await sql<Shape['triggers'][number]>`
    select tgname as name, pg_get_triggerdef(oid) as definition from pg_trigger
    where tgrelid = ${own} and not tgisinternal order by tgname`.execute(db);
  return { constraints, indexes, triggers, identities: await identitiesOf(db, table) };
}

async function identitiesOf(db: Db, table: string): Promise<Shape['identities']> {
  const { rows } = await sql<{ column: string; always: boolean; sequence: string }>`
    select attname as column, attidentity = 'a' as always, pg_get_serial_sequence(${table}, attname)::regclass::text as sequence
    from pg_attribute where attrelid = ${table}::regclass and attidentity <> '' and not attisdropped`.execute(db);
  const identities = [];
  for (const row of rows) {
    const next = sql<string>`(select last_value + is_called::integer from ${sql.table(row.sequence)})`;
    identities.push({ ...row, next: await scalar(db, next) });
  }
  return identities;
}
