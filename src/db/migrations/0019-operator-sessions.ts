import { type Kysely, sql } from 'kysely';

/** Sessions of operators at the console, and what they prove with that they are more than a password's holder. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table operator_sessions (
      hash bytea primary key,
      account_id uuid not null references accounts,
      epoch integer not null,
      admitted boolean not null,
      created_at timestamptz not null default now(),
      used_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index operator_sessions_created on operator_sessions (created_at)`.execute(db);
  await sql`create index operator_sessions_of_account on operator_sessions (account_id)`.execute(db);

  await sql`
    create table second_factors (
      account_id uuid primary key references accounts,
      secret_sealed bytea not null,
      confirmed_at timestamptz(3),
      last_step integer not null default 0,
      recovery_hashes bytea[] not null default '{}'
    )`.execute(db);
}
