import { type Selectable, sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { conflict, notFound } from '../base/errors.js';
import { newId } from '../base/ids.js';
import type { Listed, Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { ownedBy } from '../db/owned-by.js';
import { readPage } from '../db/read-page.js';
import type { CorrectedField, PackageAnswers } from '../db/tables/changes.js';
import { type Address, toAddress } from './stop.js';

export type { CorrectedField } from '../db/tables/changes.js';

/** A shipper's answer to a status that waits for it: a task for the operator. Fields are null where it says nothing. */
export interface PackageAnswer {
  id: string;
  loggiKey: string;
  orderId: string;
  accountId: string;
  phone: string | null;
  address: Address | null;
  instructions: string | null;
  note: string | null;
  applied: CorrectedField[];
  createdAt: Date;
  completion: { at: Date; by: string; note: string | null } | null;
}

const toPackageAnswer = (row: Selectable<PackageAnswers>): PackageAnswer => ({
  id: row.id,
  loggiKey: row.loggi_key,
  orderId: row.order_id,
  accountId: row.account_id,
  phone: row.phone,
  address: row.address === null ? null : toAddress({ address: row.address, complement: row.complement }),
  instructions: row.instructions,
  note: row.note,
  applied: row.applied,
  createdAt: row.created_at,
  completion:
    row.completed_at !== null && row.completed_by !== null
      ? { at: row.completed_at, by: row.completed_by, note: row.completion_note }
      : null,
});

/** An answer as the contracts of REST and of the operator's interface show it. */
export const answerBody = (answer: PackageAnswer) => ({
  id: answer.id,
  loggi_key: answer.loggiKey,
  state: answer.completion ? ('done' as const) : ('open' as const),
  phone: answer.phone ?? undefined,
  address: answer.address ? { address: answer.address.address, complement: answer.address.complement } : undefined,
  instructions: answer.instructions ?? undefined,
  note: answer.note ?? undefined,
  applied: answer.applied,
  created_at: answer.createdAt.toISOString(),
  completed_at: answer.completion?.at.toISOString(),
  completion_note: answer.completion?.note ?? undefined,
});

export async function addPackageAnswer(
  trx: Db,
  answer: Omit<PackageAnswer, 'id' | 'createdAt' | 'completion'>,
): Promise<PackageAnswer> {
  const row = await trx
    .insertInto('package_answers')
    .values({
      id: newId(),
      loggi_key: answer.loggiKey,
      order_id: answer.orderId,
      account_id: answer.accountId,
      phone: answer.phone,
      address: answer.address?.address ?? null,
      complement: answer.address?.complement ?? null,
      instructions: answer.instructions,
      note: answer.note,
      applied: answer.applied,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toPackageAnswer(row);
}

export async function countOpenAnswers(db: Db, loggiKey: string): Promise<number> {
  const { open } = await db
    .selectFrom('package_answers')
    .select(({ fn }) => fn.countAll<string>().as('open'))
    .where('loggi_key', '=', loggiKey)
    .where('completed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(open);
}

const answersOf = (db: Db, actor: Actor, loggiKey: string) =>
  db.selectFrom('package_answers').selectAll().where('loggi_key', '=', loggiKey).where(ownedBy(actor, 'account_id'));

/** Lists the answers about a package, newest first. */
export async function listPackageAnswers(db: Db, actor: Actor, loggiKey: string, page: Page) {
  const newest = answersOf(db, actor, loggiKey).orderBy('created_at', 'desc').orderBy('id', 'desc');
  const { rows, total } = await readPage(db, newest, page);
  return { rows: rows.map(toPackageAnswer), total };
}

export async function getPackageAnswer(db: Db, actor: Actor, loggiKey: string, id: string) {
  const row = await answersOf(db, actor, loggiKey).where('id', '=', id).executeTakeFirst();
  return row && toPackageAnswer(row);
}

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
  throw (await getTask(db, id)) ? conflict('task_done', 'The task is done already.') : notFound('task');
}
