import { type Kysely, sql } from 'kysely';

/** The hash of a picture as it was sent, by which a repetition is known: what is stored is made anew from it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table delivery_pictures add column sent_hash bytea`.execute(db);
}
