import { type Kysely, sql } from 'kysely';

/** The end of release 1.2's message when it finds a migration that it does not know. */
const MARKER = 'release 1.2 cannot use partitioned tables: start 1.3 or later; it';

/**
 * Lets a migration name the oldest release that the schema serves. Release 1.2 refuses to start when a migration that
 * it does not know is in `kysely_migration`, and so would 1.3; so that becomes a view, which shows the marker only to
 * connections over which 1.2 and older ones migrate, and these alone wait for a lock for a second.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table schema_migrations add column oldest_release text`.execute(db);
  await sql`alter table kysely_migration rename to kysely_migration_records`.execute(db);
  await sql`insert into kysely_migration_records (name, timestamp) values (${sql.lit(MARKER)}, now()::text)`.execute(
    db,
  );
  await sql`
    create view kysely_migration as select name, timestamp from kysely_migration_records
    where name <> ${sql.lit(MARKER)} or current_setting('lock_timeout') = '1s' and exists (
      select from pg_partitioned_table where partrelid in (to_regclass('orders'), to_regclass('webhook_attempts')))`.execute(
    db,
  );
  // The view has the rights of the table.
  await sql`
    do $$
    declare rights record;
    begin
      for rights in
        select grantee::regrole as role, privilege_type as right
        from pg_class, aclexplode(relacl) where oid = 'kysely_migration_records'::regclass and grantee <> 0
      loop
        execute format('grant %s on kysely_migration to %s', rights.right, rights.role);
      end loop;
    end $$`.execute(db);
}

export const serves = { from: '1.3.0' };
