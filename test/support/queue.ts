import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../src/db/connect.js';
import type { Database } from '../../src/db/tables/database.js';
import { waitFor } from './receiver.js';

/** The number of rows of a table, or of those that meet a condition. */
export async function countOf(db: Db, table: keyof Database, condition: RawBuilder<unknown> = sql`true`) {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from ${sql.table(table)} where ${condition}`.execute(db);
  return rows[0]?.count ?? 0;
}

export const pending = (db: Db): Promise<number> => countOf(db, 'webhook_notifications');

/** Index entries of the queue read so far. Sessions report their reads within a second. */
export async function queueEntriesRead(db: Db): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select idx_tup_read::float8 as read from pg_stat_user_indexes
    where indexrelname = 'webhook_notifications_pkey'`.execute(db);
  return rows[0]?.read ?? Number.NaN;
}

export const deadLetters = (db: Db): Promise<number> => countOf(db, 'webhook_deliveries', sql`dead_at is not null`);

export const drained = (db: Db, withinMs?: number): Promise<void> =>
  waitFor(async () => (await pending(db)) === 0, 'an empty queue', withinMs);

/** Waits for an empty queue with failing receivers: failed deliveries are tried again at once. */
export const drainedWithoutPauses = (db: Db, withinMs?: number): Promise<void> =>
  waitFor(
    async () => {
      await endPauses(db);
      return (await pending(db)) === 0;
    },
    'an empty queue',
    withinMs,
  );

/** Ends every pause now, so that failed deliveries are tried again. */
export async function endPauses(db: Db): Promise<void> {
  await sql`update webhook_lanes set due_at = clock_timestamp() where state = 'waiting'`.execute(db);
}

/** Lets time pass for the lanes, whose leases and pauses follow only the clock of the database. */
export async function pass(db: Db, seconds: number): Promise<void> {
  await sql`
    update webhook_lanes set due_at = due_at - ${seconds}::double precision * interval '1 second'
    where state in ('leased', 'waiting')`.execute(db);
}
