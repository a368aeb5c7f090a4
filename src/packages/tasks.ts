import { type Selectable, sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { conflict, notFound } from '../base/errors.js';
import { newId } from '../base/ids.js';
import type { Listed, Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { readPage } from '../db/lists/read-page.js';
import { scalar } from '../db/one-row.js';
import { ownedBy } from '../db/owned-by.js';
import type { PackageAnswers, TaskKind } from '../db/tables/changes.js';
import type { Address } from './stop.js';

export type { CorrectedField } from '../db/tables/changes.js';

import { row } from '../db/row.js';

/** A task for the operator: a shipper's answer or request. A column is null if the shipper wrote nothing there. */
export type PackageAnswer = Selectable<PackageAnswers>;

/** An answer in the form of the contracts of REST and of the operator's interface. */
export const answerBody = (answer: PackageAnswer) => ({
  id: answer.id,
  loggi_key: answer.loggi_key,
  state: answer.completed_at ? ('done' as const) : ('open' as const),
  phone: answer.phone ?? undefined,
  address:
    answer.address === null ? undefined : { address: answer.address, complement: answer.complement ?? undefined },
  instructions: answer.instructions ?? undefined,
  note: answer.note ?? undefined,
  applied: answer.applied,
  created_at: answer.created_at.toISOString(),
  completed_at: answer.completed_at?.toISOString(),
  completion_note: answer.completion_note ?? undefined,
});

type NewAnswer = Pick<PackageAnswer, 'phone' | 'instructions' | 'note' | 'applied'> &
  Record<'loggiKey' | 'orderId' | 'accountId', string> & { address: Address | null };

export function addPackageAnswer(trx: Db, answer: NewAnswer): Promise<PackageAnswer> {
  const { loggiKey, orderId, accountId, address: to, ...others } = answer;
  const of = { id: newId(), loggi_key: loggiKey, order_id: orderId, account_id: accountId };
  const address = { address: to?.address ?? null, complement: to?.complement ?? null };
  const completion = { completed_by: null, completion_note: null, movement_id: null };
  const request = { day: null, recipient_name: null, problem: null, proof_facts: null, delivered_at: null };
  const values = row<'package_answers'>({ ...of, ...address, ...others, ...completion, ...request });
  const insert = trx.insertInto('package_answers').values(values);
  return insert.returningAll().executeTakeFirstOrThrow();
}

export const countOpenAnswers = (db: Db, loggiKey: string): Promise<number> =>
  scalar(
    db,
    sql`(select count(*)::integer from package_answers where loggi_key = ${loggiKey} and kind = 'answer' and completed_at is null)`,
  );

/** The answers of a shipper about the problems of a package, or its requests. */
interface AboutPackage {
  written: 'answers' | 'requests';
  loggiKey: string;
}

const tasksAbout = (db: Db, actor: Actor, { written, loggiKey }: AboutPackage) =>
  db
    .selectFrom('package_answers')
    .selectAll()
    .where('loggi_key', '=', loggiKey)
    .where('kind', written === 'answers' ? '=' : '<>', 'answer')
    .where(ownedBy(actor, 'account_id'));

/** Lists the answers or the requests of its shipper about a package, newest first. */
export const listTasksAbout = (db: Db, actor: Actor, about: AboutPackage, page: Page) =>
  readPage(db, tasksAbout(db, actor, about).orderBy('created_at', 'desc').orderBy('id', 'desc'), page);

export const getTaskAbout = (db: Db, actor: Actor, about: AboutPackage, id: string) =>
  tasksAbout(db, actor, about).where('id', '=', id).executeTakeFirst();

export interface TaskFilters {
  state?: 'open' | 'done' | undefined;
  kind?: TaskKind | undefined;
  accountId?: string | undefined;
  loggiKey?: string | undefined;
  createdTo?: Date | undefined;
}

/** Lists tasks. Open ones are sorted by waiting time, longest first; otherwise newest first. */
export function listTasks(db: Db, filters: TaskFilters, page: Page): Promise<Listed<PackageAnswer>> {
  const { state, kind, accountId, loggiKey, createdTo } = filters;
  let matching = db.selectFrom('package_answers').selectAll();
  if (state !== undefined) matching = matching.where('completed_at', state === 'open' ? 'is' : 'is not', null);
  if (kind !== undefined) matching = matching.where('kind', '=', kind);
  if (accountId !== undefined) matching = matching.where('account_id', '=', accountId);
  if (loggiKey !== undefined) matching = matching.where('loggi_key', '=', loggiKey);
  if (createdTo !== undefined) matching = matching.where('created_at', '<', createdTo);
  const direction = state === 'open' ? 'asc' : 'desc';
  return readPage(db, matching.orderBy('created_at', direction).orderBy('id', direction), page);
}

const MAX_COUNTED = 10_000;

export const countOpenTasks = (db: Db): Promise<number> =>
  scalar(
    db,
    sql`(select count(*)::integer from (
      select from package_answers where completed_at is null limit ${MAX_COUNTED}) waiting)`,
  );

export const getTask = (db: Db, id: string): Promise<PackageAnswer | undefined> =>
  db.selectFrom('package_answers').selectAll().where('id', '=', id).executeTakeFirst();

export interface Completion {
  note?: string | undefined;
  movementId?: string | undefined;
}

/** Marks a task as done. Throws NOT_FOUND, and CONFLICT if it was done before. */
export async function completeTask(
  db: Db,
  actor: Actor,
  id: string,
  { note, movementId }: Completion = {},
): Promise<PackageAnswer> {
  const row = await db
    .updateTable('package_answers')
    .set({
      completed_at: sql<Date>`now()`,
      completed_by: actor.accountId,
      completion_note: note ?? null,
      movement_id: movementId ?? null,
    })
    .where('id', '=', id)
    .where('completed_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (row) return row;
  throw (await getTask(db, id)) ? conflict('task_done', 'The task is done already.') : notFound('task');
}
