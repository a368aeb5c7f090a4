import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { NIL } from 'uuid';
import { databaseTime } from '../base/clock.js';
import { firstIdAt } from '../base/ids.js';

const DAY_MS = 86_400_000;

/** Records newer than that, or than that before the end of a list, are looked at first. */
const RECENT_DAYS = 28;

export const recently = (until = new Date(databaseTime())): Date => new Date(until.getTime() - RECENT_DAYS * DAY_MS);

/**
 * Orders created then or later have this id or one after it: the clocks of ids and of the database are a day apart at
 * most.
 */
export const firstIdOf = (from: Date | undefined): string => (from ? firstIdAt(from.getTime() - DAY_MS) : NIL);

/**
 * Keeps a query to the partitions of orders that were created then or later, else of those before `to`. By one bound: a
 * planner that does not know the values takes two for so narrow that it reads all between them by their ids, instead of
 * a page by their times.
 */
export function createdNear(from: Date | undefined, to: Date | undefined): RawBuilder<SqlBool> {
  if (from || !to) return sql<SqlBool>`id >= ${firstIdOf(from)}::uuid`;
  return sql<SqlBool>`id <= ${firstIdAt(to.getTime() + DAY_MS)}::uuid`;
}

/**
 * Records created before then, in a list by their times and ids. As a row, although the times alone say the same: of
 * two bounds of a time that it does not know a planner expects so few records that it sorts them all, instead of
 * reading a page by the index.
 */
export const createdBefore = (to: Date, createdAt: string, id: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.ref(createdAt)}, ${sql.ref(id)}) < (${to}, ${NIL}::uuid)`;
