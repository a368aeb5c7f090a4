import { sql } from 'kysely';
import type { Actor } from '../../base/actor.js';
import { conflict, notFound } from '../../base/errors.js';
import type { Listed, Page } from '../../base/page.js';
import type { Db } from '../../db/connect.js';
import { readPage } from '../../db/read-page.js';
import { type PackageAnswer, toPackageAnswer } from './package-answers.js';

/** A task waits for a person at the operator's. All tasks are answers of shippers. */

export interface TaskFilters {
  state?: 'open' | 'done' | undefined;
  accountId?: string | undefined;
  loggiKey?: string | undefined;
  createdTo?: Date | undefined;
}

/** Open tasks: the one that has waited longest first; all others newest first. */
export async function listTasks(db: Db, filters: TaskFilters, page: Page): Promise<Listed<PackageAnswer>> {
  const { state, accountId, loggiKey, createdTo } = filters;
  let matching = db.selectFrom('package_answers').selectAll();
  if (state !== undefined) matching = matching.where('completed_at', state === 'open' ? 'is' : 'is not', null);
  if (accountId !== undefined) matching = matching.where('account_id', '=', accountId);
  if (loggiKey !== undefined) matching = matching.where('loggi_key', '=', loggiKey);
  if (createdTo !== undefined) matching = matching.where('created_at', '<', createdTo);
  const direction = state === 'open' ? 'asc' : 'desc';
  const ordered = matching.orderBy('created_at', direction).orderBy('id', direction);
  const { rows, total } = await readPage(db, ordered, page);
  return { rows: rows.map(toPackageAnswer), total };
}

const MOST_COUNTED = 10_000;

/** Counts open tasks, up to 10 000. */
export async function countOpenTasks(db: Db): Promise<number> {
  const { rows } = await sql<{ open: number }>`
    select count(*)::integer as open
    from (select from package_answers where completed_at is null limit ${MOST_COUNTED}) waiting`.execute(db);
  return rows[0]?.open ?? 0;
}

export async function getTask(db: Db, id: string): Promise<PackageAnswer | undefined> {
  const row = await db.selectFrom('package_answers').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toPackageAnswer(row);
}

/** Notes that a task is done. Throws NOT_FOUND, and CONFLICT when it was done before. */
export async function completeTask(db: Db, actor: Actor, id: string, note?: string): Promise<PackageAnswer> {
  const row = await db
    .updateTable('package_answers')
    .set({ completed_at: sql<Date>`now()`, completed_by: actor.accountId, completion_note: note ?? null })
    .where('id', '=', id)
    .where('completed_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (row) return toPackageAnswer(row);
  throw (await getTask(db, id)) ? conflict('The task is done already.') : notFound('task');
}
