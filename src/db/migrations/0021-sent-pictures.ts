import { type Kysely, sql } from 'kysely';

/**
 * The hash of a picture as it was sent, by which the same one is known when it is sent again: what is stored is made
 * anew from it. It goes with its row when the recipient is erased. A process of an earlier release stores pictures as
 * they are sent, and no hash.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table delivery_pictures add column sent_hash bytea`.execute(db);
}
