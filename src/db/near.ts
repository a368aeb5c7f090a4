import { CompiledQuery, createQueryId, PostgresQueryCompiler, type RawBuilder, type SqlBool, sql } from 'kysely';
import { NIL } from 'uuid';
import { DAY_MS, databaseTime } from '../base/clock.js';
import { firstIdAt, idsAround, lastIdAt, msecsOf } from '../base/ids.js';
import { periodAt } from './partitions/periods.js';

/**
 * Bounds a column. Not by `between`: for two bounds of unknown values the planner expects few rows, and would read all
 * orders of an hour instead of looking one up.
 */
function within(column: string, from: RawBuilder<unknown>, to: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const name = sql.ref(column);
  return sql<SqlBool>`${name} >= ${from}::uuid and (${name} <= ${to}::uuid or ${name} = ${to}::uuid)`;
}

/** Bounds of ids that may belong to different records, both inclusive. */
export const idsWithin = (column: string, from: string, to: string): RawBuilder<SqlBool> =>
  within(column, sql`${from}`, sql`${to}`);

/** Age up to which months are written into the text of a statement. For older records there would be too many texts. */
const NAMED_DAYS = 31;

const isNamed = (from: string): boolean => msecsOf(from) >= databaseTime() - NAMED_DAYS * DAY_MS;

const monthOf = (id: string) => periodAt('month', new Date(msecsOf(id)));
const firstOfMonth = (id: string): string => firstIdAt(monthOf(id).from.getTime());
const lastOfMonth = (id: string): string => lastIdAt(monthOf(id).until.getTime() - 1);

/** Bounds of ids: constants in the text of a statement, or values of it. */
interface Bounds<Ids extends readonly string[]> {
  ids: Ids;
  areConstant: boolean;
}

/**
 * Writes the months of recent ids into the text. Values are unknown when a statement is planned, so a plan without
 * bounds in its text covers all partitions. Such a plan takes long to make and locks all partitions. It is made again
 * whenever one of them was vacuumed.
 */
function boundsAround(ids: readonly string[]): Bounds<[from: string, to: string]> {
  const [from, to] = idsAround(ids);
  const areConstant = isNamed(from);
  return { ids: areConstant ? [firstOfMonth(from), lastOfMonth(to)] : [from, to], areConstant };
}

/** The first id of orders created at `from` or later. The clocks of ids and of the database differ by at most a day. */
function boundSince(from: Date | undefined): Bounds<[from: string]> {
  const id = from ? firstIdAt(from.getTime() - DAY_MS) : NIL;
  const areConstant = isNamed(id);
  return { ids: [areConstant ? firstOfMonth(id) : id], areConstant };
}

const inText = (id: string, { areConstant }: { areConstant: boolean }): RawBuilder<unknown> =>
  areConstant ? sql.lit(id) : sql`${id}`;

/** Makes the condition that a column lies in the partitions of certain ids. */
export type PartitionFilter = (column: string) => RawBuilder<SqlBool>;

/** Limits a query with ids of orders or keys of packages to the partitions that may have them. */
export function partitionFilter(ids: readonly string[]): PartitionFilter {
  const bounds = boundsAround(ids);
  const [from, to] = bounds.ids;
  if (to === NIL) return () => sql<SqlBool>`false`;
  return (column) => within(column, inText(from, bounds), inText(to, bounds));
}

export const inPartitionsOf = (column: string, ids: readonly string[]): RawBuilder<SqlBool> =>
  partitionFilter(ids)(column);

/** SQL of the first id of orders created at `from` or later. For recent times, the first id of that month. */
export function idSince(from: Date | undefined): RawBuilder<unknown> {
  const bound = boundSince(from);
  return sql`${inText(bound.ids[0], bound)}::uuid`;
}

/** Statements with bounds. A text is made once for its bounds, which come after the values. */
function statements<Ids extends readonly string[]>(make: (...bounds: string[]) => RawBuilder<unknown>) {
  const texts = new Map<string, string>();
  return ({ ids, areConstant }: Bounds<Ids>, values: readonly unknown[]): CompiledQuery => {
    const bounds = ids.map((id, at) => (areConstant ? `'${id}'` : `$${values.length + at + 1}`));
    const name = bounds.join();
    const text = texts.get(name) ?? textOf(make(...bounds));
    texts.set(name, text);
    return CompiledQuery.raw(text, areConstant ? [...values] : [...values, ...ids]);
  };
}

/** The text of SQL without values. */
const textOf = (statement: RawBuilder<unknown>): string =>
  new PostgresQueryCompiler().compileQuery(statement.toOperationNode(), createQueryId()).sql;

/** A statement about known orders or packages. Its text is made once per month. */
export function statementInPartitions(make: (inPartitions: PartitionFilter) => RawBuilder<unknown>) {
  const query = statements((from, to) => make((column) => within(column, sql.raw(from), sql.raw(to))));
  return (ids: readonly string[], values: readonly unknown[]) => query(boundsAround(ids), values);
}

/** A statement about orders created at a time or later. Its text is made once per month. */
export function statementSince(make: (firstId: string) => RawBuilder<unknown>) {
  const query = statements(make);
  return (since: Date | undefined, values: readonly unknown[]) => query(boundSince(since), values);
}

/** Days before now, or before the end of a list, that are read first. */
const RECENT_DAYS = 28;

export const recently = (until = new Date(databaseTime())): Date => new Date(until.getTime() - RECENT_DAYS * DAY_MS);

/**
 * Limits a query to the partitions of orders created at `from` or later or, without it, before `to`. It has only one
 * bound. For two bounds of unknown values the planner expects few rows, and reads all rows between them instead of a
 * page.
 */
export function createdNear(from: Date | undefined, to: Date | undefined): RawBuilder<SqlBool> {
  if (from || !to) return sql<SqlBool>`id >= ${idSince(from)}`;
  return sql<SqlBool>`id <= ${firstIdAt(to.getTime() + DAY_MS)}::uuid`;
}

/**
 * Limits a query to records created before a time. It compares rows, because for two bounds of an unknown time the
 * planner expects few records. It would sort them all instead of reading a page by the index.
 */
export const createdBefore = (to: Date, createdAt: string, id: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.ref(createdAt)}, ${sql.ref(id)}) < (${to}, ${NIL}::uuid)`;
