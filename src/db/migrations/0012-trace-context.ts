import { type Kysely, sql } from 'kysely';

/** A notification's trace, null unless a request was traced; and leases on what one process of all does. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table webhook_notifications add column traceparent text`.execute(db);
  await sql`alter table webhook_deliveries add column traceparents text[]`.execute(db);
  await sql`
    create table leases (
      name text primary key,
      holder uuid not null,
      held_until timestamptz not null
    )`.execute(db);
}
