import { type Kysely, sql } from 'kysely';

/** Lanes to slow receivers are claimed apart, by account. `webhook_lanes_due` stays for processes from before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table webhook_lanes add column slow_account_id uuid`.execute(db);
  const claimable = sql.raw(`state in ('ready', 'leased', 'waiting') and attempt = 0`);
  // The id makes this the only index that yields the lanes in the order in which they are claimed.
  await sql`
    create index webhook_lanes_due_prompt on webhook_lanes (due_at, id)
    where ${claimable} and slow_account_id is null`.execute(db);
  await sql`
    create index webhook_lanes_due_slow on webhook_lanes (slow_account_id, due_at)
    where ${claimable} and slow_account_id is not null`.execute(db);
}
