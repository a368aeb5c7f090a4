import { type Kysely, sql } from 'kysely';

/** A package's tracking link (src/packages/tracking-links.ts): null is the first one, below zero none is valid. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table packages add column tracking_link integer`.execute(db);
}
