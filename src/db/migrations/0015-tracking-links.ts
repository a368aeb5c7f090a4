import { type Kysely, sql } from 'kysely';

/**
 * The number of the valid tracking link of a package (src/packages/tracking-links.ts). Null is the first one, so that
 * an order writes nothing; below zero no link is valid.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table packages add column tracking_link integer`.execute(db);
}
