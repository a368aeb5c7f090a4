import { type Kysely, sql } from 'kysely';

/** Keys of a lane without its count of changes: PostgreSQL would look at all former versions of its row. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table webhook_lanes drop constraint webhook_lanes_endpoint_id_generation_number_key,
      drop constraint webhook_lanes_pkey,
      add constraint webhook_lanes_pkey primary key using index webhook_lanes_newest`.execute(db);
}
