import { type Kysely, sql } from 'kysely';

/** Tax ids of accounts and recipients. A trigger erases them when a process of an earlier release erases the person. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table accounts add column tax_id text`.execute(db);
  await sql`alter table packages add column recipient_tax_id text`.execute(db);
  await sql`
    create function erase_tax_id() returns trigger language plpgsql as $$
    begin
      new.tax_id := null;
      return new;
    end $$`.execute(db);
  await sql`
    create trigger erase_tax_id before update of erased_at on accounts
    for each row when (new.erased_at is not null) execute function erase_tax_id()`.execute(db);
  await sql`
    create function erase_documents() returns trigger language plpgsql as $$
    begin
      update packages set recipient_tax_id = null where order_id = new.id and recipient_tax_id is not null;
      return null;
    end $$`.execute(db);
  await sql`
    create trigger erase_documents after update of recipients_erased_at on orders
    for each row when (new.recipients_erased_at is not null) execute function erase_documents()`.execute(db);
}
