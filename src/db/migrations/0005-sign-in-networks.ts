import { type Kysely, sql } from 'kysely';

/** Networks that accounts signed in from, as keyed hashes, and the ids of the keys that secrets may be sealed with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sign_in_networks (
      account_id uuid not null references accounts,
      network bytea not null,
      signed_in_at timestamptz not null default now(),
      primary key (account_id, network)
    )`.execute(db);
  await sql`create index sign_in_networks_signed_in on sign_in_networks (signed_in_at)`.execute(db);

  await sql`
    create table sealing_keys (
      id text primary key,
      first_used_at timestamptz not null default now()
    )`.execute(db);
}
