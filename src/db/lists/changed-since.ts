import { Buffer } from 'node:buffer';
import { sql } from 'kysely';
import { NIL } from 'uuid';
import { type Actor, accountSeenBy } from '../../base/actor.js';
import { invalidField, unavailable } from '../../base/errors.js';
import { isId } from '../../base/ids.js';
import type { Db } from '../connect.js';
import { deleteInChunks } from '../delete-in-chunks.js';
import { oneRow } from '../one-row.js';
import { numbering } from './change-numbers.js';
import { timeline } from './replica.js';

/** Start of a page of changes: a time, or the cursor of an earlier page. */
export type ChangesFrom = { time: Date } | { cursor: string };

export interface Changes<Row> {
  rows: Row[];
  /** Cursor for the rows after these, now or later. */
  nextCursor: string;
  hasMore: boolean;
}

interface ChangingTable {
  table: 'orders' | 'packages';
  key: 'id' | 'loggi_key';
  columns: string;
}

/** A row's last change: the number of its transaction, on a server with this timeline. */
export interface Position {
  timeline: number;
  changed: string;
  key: string;
}

const MARK_DAYS = 400;

/** Stores which transactions have ended, for lists that begin at a time. The clock is read after the snapshot. */
export async function markChanges(db: Db): Promise<number> {
  await sql`
    insert into change_marks (marked_at, timeline, oldest)
    select clock_timestamp(), ${timeline}, pg_snapshot_xmin(pg_current_snapshot())
    where ${numbering} is not null`.execute(db);
  return deleteInChunks(db, 'change_marks', 'marked_at', sql`marked_at < now() - ${MARK_DAYS} * interval '1 day'`);
}

/**
 * Lists an account's rows, sorted by the transaction of their last change, up to the oldest open transaction. So later
 * commits always come after the listed rows, even if transactions overlap. A row that changes again moves to the end.
 * Throws VALIDATION_ERROR, and UNAVAILABLE in a copy that was not renumbered.
 */
export async function changedSince<Row>(
  db: Db,
  actor: Actor,
  { table, key, columns }: ChangingTable,
  from: ChangesFrom,
  size: number,
): Promise<Changes<Row>> {
  const accountId = accountSeenBy(actor);
  if (accountId === undefined)
    throw invalidField('updated_from', 'not_allowed', 'is for the records of one account; an operator sees all');
  // For two comparisons with unknown bounds the planner would expect few rows, and sort them all.
  const listed = sql<Read<Row>>`
    with start as materialized (${startOf(from)}), page as (
      select changed, ${sql.ref(key)} as key, to_json(listed) as row from (
        select ${sql.raw(columns)}, changed from ${sql.table(table)}
        where account_id = ${accountId}
          and (changed, ${sql.ref(key)}) > ((select changed from start), (select key from start))
        order by changed, ${sql.ref(key)} limit ${size + 1}) listed)
    select ${timeline} as timeline, ${numbering} as numbering, changed::text, key, (
      select json_agg(json_build_object('changed', changed::text, 'key', key, 'row', row) order by changed, key) from page
      where changed < pg_snapshot_xmin(pg_current_snapshot())) as page
    from start`;
  const { numbering: numbered, ...read } = await oneRow(db, listed);
  if (numbered === null) throw unavailable(new Error('malote changes renumber has not been run at this copy'), 60);
  const page = (read.page ?? []).slice(0, size);
  const last = { ...read, ...page.at(-1), numbering: numbered };
  return { rows: page.map(({ row }) => row), nextCursor: cursorOf(last), hasMore: (read.page ?? []).length > size };
}

interface Read<Row> extends Position {
  numbering: number | null;
  page: (Pick<Position, 'changed' | 'key'> & { row: Row })[] | null;
}

/**
 * SQL of the position after which a page begins. A time becomes the position of the last mark before it. On another
 * timeline, numbers of lost transactions may have been used again, so the list begins at the last known number of the
 * common history. Under another numbering the numbers mean nothing, so the list begins from the start.
 */
function startOf(from: ChangesFrom) {
  if ('time' in from) return sql`select ${markedBy(sql`marked_at <= ${from.time}`)} as changed, ${NIL}::uuid as key`;
  const { numbering: earlier, ...position } = positionOf(from.cursor);
  return sql`
    select case when isOwn then changed else '0' end as changed, case when isOwn then key else ${NIL} end as key
    from (${resumedAt(position)}) resumed cross join (select ${numbering} = ${earlier}::integer as isOwn) known`;
}

const markedBy = (condition: ReturnType<typeof sql>) => sql`coalesce(
  (select oldest from change_marks where ${condition} order by marked_at desc limit 1), '0'::xid8)`;

/** SQL of the position as `changed, key`, on the present timeline. */
export const resumedAt = ({ changed, key, timeline: earlier }: Position) => sql`
  select changed, case changed when ${changed}::xid8 then ${key} else ${NIL} end::uuid as key from (
    select case ${timeline} when ${earlier}::integer then ${changed}::xid8
      else least(${changed}::xid8, ${markedBy(sql`timeline = ${earlier}::integer`)}) end as changed) resumed`;

interface Cursor extends Position {
  numbering: number;
}

/** Cursors of the first numbering do not contain it, because releases before 1.11 write and read them so. */
const cursorOf = ({ timeline, changed, key, numbering }: Cursor): string =>
  Buffer.from(`${timeline}/${changed}/${key}${numbering === 1 ? '' : `/${numbering}`}`).toString('base64url');

/** Parses a cursor. Throws VALIDATION_ERROR on `cursor` for any text that cursorOf did not make. */
function positionOf(cursor: string): Cursor {
  const [timeline = '', changed = '', key = '', numbering = '1'] = Buffer.from(cursor, 'base64url')
    .toString()
    .split('/');
  const position = { timeline: Number(timeline), changed, key, numbering: Number(numbering) };
  const isSound =
    [timeline, numbering].every((each) => /^\d{1,9}$/.test(each)) && /^\d{1,19}$/.test(changed) && isId(key);
  if (isSound && cursorOf(position) === cursor) return position;
  throw invalidField('cursor', 'unknown_value', 'is not a cursor of this list');
}
