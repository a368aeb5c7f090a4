import { CompiledQuery, createQueryId, PostgresQueryCompiler, type RawBuilder, type SqlBool, sql } from 'kysely';
import { NIL } from 'uuid';
import { DAY_MS, databaseTime } from '../base/clock.js';
import { firstIdAt, idsAround, lastIdAt, msecsOf } from '../base/ids.js';
import { periodAt } from './partitions/periods.js';

/**
 * The bounds of a column. Not `between`: without their values the planner takes two bounds for a condition that few
 * rows meet, and would read all orders of an hour instead of looking one up.
 */
function within(column: string, from: RawBuilder<unknown>, to: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const name = sql.ref(column);
  return sql<SqlBool>`${name} >= ${from}::uuid and (${name} <= ${to}::uuid or ${name} = ${to}::uuid)`;
}

/** Bounds of ids that are not known to be of one record, both inclusive. */
export const idsWithin = (column: string, from: string, to: string): RawBuilder<SqlBool> =>
  within(column, sql`${from}`, sql`${to}`);

/** Records older than that have no month in the text of a statement: there would be too many texts. */
const NAMED_DAYS = 31;

const isNamed = (from: string): boolean => msecsOf(from) >= databaseTime() - NAMED_DAYS * DAY_MS;

const monthOf = (id: string) => periodAt('month', new Date(msecsOf(id)));
const firstOfMonth = (id: string): string => firstIdAt(monthOf(id).from.getTime());
const lastOfMonth = (id: string): string => lastIdAt(monthOf(id).until.getTime() - 1);

/** Bounds of ids: constants of a statement's text, or values of it. */
interface Bounds<Ids extends readonly string[]> {
  ids: Ids;
  areConstant: boolean;
}

/**
 * The months of recent ids are named in the text. Values are not known when a statement is planned, so a plan without a
 * bound on partitions in its text covers all of them. Such a plan takes long to make, locks them all, and is made anew
 * when any of them has been vacuumed.
 */
function boundsAround(ids: readonly string[]): Bounds<[from: string, to: string]> {
  const [from, to] = idsAround(ids);
  const areConstant = isNamed(from);
  return { ids: areConstant ? [firstOfMonth(from), lastOfMonth(to)] : [from, to], areConstant };
}

/** The first id of orders created then or later: the clocks of ids and of the database differ by a day at most. */
function boundSince(from: Date | undefined): Bounds<[from: string]> {
  const id = from ? firstIdAt(from.getTime() - DAY_MS) : NIL;
  const areConstant = isNamed(id);
  return { ids: [areConstant ? firstOfMonth(id) : id], areConstant };
}

const inText = (id: string, { areConstant }: { areConstant: boolean }): RawBuilder<unknown> =>
  areConstant ? sql.lit(id) : sql`${id}`;

/** Keeps a column near these ids of orders or keys of packages. */
export type PartitionFilter = (column: string) => RawBuilder<SqlBool>;

/** Keeps a query that names ids of orders or keys of packages to the partitions in which these can be. */
export function partitionFilter(ids: readonly string[]): PartitionFilter {
  const bounds = boundsAround(ids);
  const [from, to] = bounds.ids;
  if (to === NIL) return () => sql<SqlBool>`false`;
  return (column) => within(column, inText(from, bounds), inText(to, bounds));
}

export const inPartitionsOf = (column: string, ids: readonly string[]): RawBuilder<SqlBool> =>
  partitionFilter(ids)(column);

/** The first id of orders created then or later, or of their month. */
export function idSince(from: Date | undefined): RawBuilder<unknown> {
  const bound = boundSince(from);
  return sql`${inText(bound.ids[0], bound)}::uuid`;
}

/** Statements whose texts are made once for their bounds, which come after the values. */
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

/** The text of SQL that has no values of its own. */
const textOf = (statement: RawBuilder<unknown>): string =>
  new PostgresQueryCompiler().compileQuery(statement.toOperationNode(), createQueryId()).sql;

/** A statement of known orders or packages, whose text is made once for their months. */
export function statementInPartitions(make: (inPartitions: PartitionFilter) => RawBuilder<unknown>) {
  const query = statements((from, to) => make((column) => within(column, sql.raw(from), sql.raw(to))));
  return (ids: readonly string[], values: readonly unknown[]) => query(boundsAround(ids), values);
}

/** A statement of orders created then or later, whose text is made once for their month. */
export function statementSince(make: (firstId: string) => RawBuilder<unknown>) {
  const query = statements(make);
  return (since: Date | undefined, values: readonly unknown[]) => query(boundSince(since), values);
}

/** Records newer than that, or than that before the end of a list, are looked at first. */
const RECENT_DAYS = 28;

export const recently = (until = new Date(databaseTime())): Date => new Date(until.getTime() - RECENT_DAYS * DAY_MS);

/**
 * Keeps a query to the partitions of orders created then or later, else of those before `to`. By one bound: of two, a
 * planner that does not know the values expects few rows, and reads all between by their ids instead of a page.
 */
export function createdNear(from: Date | undefined, to: Date | undefined): RawBuilder<SqlBool> {
  if (from || !to) return sql<SqlBool>`id >= ${idSince(from)}`;
  return sql<SqlBool>`id <= ${firstIdAt(to.getTime() + DAY_MS)}::uuid`;
}

/**
 * Records created before then, compared as rows: of two bounds of an unknown time a planner expects so few records that
 * it sorts them all, instead of reading a page by the index.
 */
export const createdBefore = (to: Date, createdAt: string, id: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.ref(createdAt)}, ${sql.ref(id)}) < (${to}, ${NIL}::uuid)`;
