import { type Kysely, sql } from 'kysely';

/** Metres within which an address lies of where it was placed; null where an earlier release placed it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['pickups', 'packages'])
    await sql`alter table ${sql.table(table)} add column accuracy_metres integer`.execute(db);
}
