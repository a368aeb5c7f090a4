import { type Kysely, sql } from 'kysely';

/**
 * The contact that recipients see, erased also by a process of an earlier release; and whether a package's own link
 * shows all. Labels of earlier releases carry that link, so it shows what it always did until it is renewed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table accounts add column support_contact text`.execute(db);
  await sql`
    create function erase_support_contact() returns trigger language plpgsql as $$
    begin
      new.support_contact := null;
      return new;
    end $$`.execute(db);
  await sql`
    create trigger erase_support_contact before update of erased_at on accounts
    for each row when (new.erased_at is not null) execute function erase_support_contact()`.execute(db);
  await sql`alter table packages add column link_shows_all boolean not null default false`.execute(db);
  await sql`alter table packages alter column link_shows_all set default true`.execute(db);
}
