import { sql } from 'kysely';
import type { Db } from '../../../src/db/connect.js';

/** Notifications that wait. */
export async function waiting(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from webhook_notifications`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/**
 * Lets time pass for the lanes: leases run out and pauses end by so much sooner. What is due is decided by the database's
 * clock alone, so this is all that a sender can see of the time that passed.
 */
export async function pass(db: Db, seconds: number): Promise<void> {
  await sql`
    update webhook_lanes set due_at = due_at - ${seconds}::double precision * interval '1 second'
    where state in ('leased', 'waiting')`.execute(db);
}

export interface Leased {
  laneId: number;
  claimId: string;
  webhookId: string | null;
}

/** Lanes that a sender holds, and the bodies that they carry. */
export async function leased(db: Db): Promise<Leased[]> {
  const { rows } = await sql<Leased>`
    select id as "laneId", claim_id as "claimId", webhook_id as "webhookId" from webhook_lanes
    where state = 'leased'`.execute(db);
  return rows;
}

/** Ends every pause now: what failed is tried again. */
export async function endPauses(db: Db): Promise<void> {
  await sql`update webhook_lanes set due_at = clock_timestamp() where state = 'waiting'`.execute(db);
}

export async function deadLetters(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from webhook_deliveries where dead_at is not null`.execute(db);
  return rows[0]?.count ?? 0;
}
