import { type Kysely, sql } from 'kysely';

/**
 * Which tracking link of a package is valid (src/packages/tracking-links.ts): the first one where this is null, so that
 * an order writes nothing; the one of this number; or, below zero, none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table packages add column tracking_link integer`.execute(db);
}
