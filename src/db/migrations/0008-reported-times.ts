import { type Kysely, sql } from 'kysely';

/** The time by the clock of a movement's sender, where another one counts: a repetition is recognised by it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table movements add column reported_at timestamptz`.execute(db);
}
