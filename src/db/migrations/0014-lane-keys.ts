import { type Kysely, sql } from 'kysely';

/**
 * The keys of a lane without the count of its changes: PostgreSQL would look at all former versions of its row for each
 * new one. Ids are generated, and numbers are given out under the lock of the endpoint's row, so both stay unique.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table webhook_lanes drop constraint webhook_lanes_endpoint_id_generation_number_key,
      drop constraint webhook_lanes_pkey,
      add constraint webhook_lanes_pkey primary key using index webhook_lanes_newest`.execute(db);
}
