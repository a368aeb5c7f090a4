import { createQueryId, PostgresQueryCompiler, type RawBuilder, type SqlBool, sql } from 'kysely';
import { NIL } from 'uuid';
import { databaseTime } from '../base/clock.js';
import { firstIdAt, idsAround } from '../base/ids.js';

/**
 * The bounds of a column. Not `between`: without their values the planner takes two bounds for a condition that few
 * rows meet, and would read all orders of an hour instead of looking one up.
 */
export function within(column: string, from: RawBuilder<unknown>, to: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const name = sql.ref(column);
  return sql<SqlBool>`${name} >= ${from}::uuid and (${name} <= ${to}::uuid or ${name} = ${to}::uuid)`;
}

/** Keeps a column near these ids of orders or keys of packages. */
export type Near = (column: string) => RawBuilder<SqlBool>;

/** Keeps a query that names ids of orders or keys of packages to the partitions in which these can be. */
export function nearThese(ids: readonly string[]): Near {
  const [from, to] = idsAround(ids);
  return (column) => within(column, sql`${from}`, sql`${to}`);
}

export const near = (column: string, ids: readonly string[]): RawBuilder<SqlBool> => nearThese(ids)(column);

/** The text of SQL that has no values of its own. */
export const textOf = (statement: RawBuilder<unknown>): string =>
  new PostgresQueryCompiler().compileQuery(statement.toOperationNode(), createQueryId()).sql;

const DAY_MS = 86_400_000;

/** Records newer than that, or than that before the end of a list, are looked at first. */
const RECENT_DAYS = 28;

export const recently = (until = new Date(databaseTime())): Date => new Date(until.getTime() - RECENT_DAYS * DAY_MS);

/** The first id of orders created then or later: the clocks of ids and of the database differ by a day at most. */
export const firstIdOf = (from: Date | undefined): string => (from ? firstIdAt(from.getTime() - DAY_MS) : NIL);

/**
 * Keeps a query to the partitions of orders created then or later, else of those before `to`. By one bound: of two, a
 * planner that does not know the values expects few rows, and reads all between by their ids instead of a page.
 */
export function createdNear(from: Date | undefined, to: Date | undefined): RawBuilder<SqlBool> {
  if (from || !to) return sql<SqlBool>`id >= ${firstIdOf(from)}::uuid`;
  return sql<SqlBool>`id <= ${firstIdAt(to.getTime() + DAY_MS)}::uuid`;
}

/**
 * Records created before then, compared as rows: of two bounds of an unknown time a planner expects so few records that
 * it sorts them all, instead of reading a page by the index.
 */
export const createdBefore = (to: Date, createdAt: string, id: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.ref(createdAt)}, ${sql.ref(id)}) < (${to}, ${NIL}::uuid)`;
