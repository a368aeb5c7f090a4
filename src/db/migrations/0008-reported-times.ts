import { type Kysely, sql } from 'kysely';

/** What the clock of a movement's sender said, where another time counts: a repetition is known by it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table movements add column reported_at timestamptz`.execute(db);
}
