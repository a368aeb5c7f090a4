import { sqlOf } from './migration.js';

/** Sessions of operators at the console, and what they prove with that they are more than a password's holder. */
export const up = sqlOf(`
  create table operator_sessions (
    hash bytea primary key,
    account_id uuid not null references accounts,
    epoch integer not null,
    admitted boolean not null,
    created_at timestamptz not null default now(),
    used_at timestamptz not null default now()
  );
  create index operator_sessions_created on operator_sessions (created_at);
  create index operator_sessions_of_account on operator_sessions (account_id);

  create table second_factors (
    account_id uuid primary key references accounts,
    secret_sealed bytea not null,
    confirmed_at timestamptz(3),
    last_step integer not null default 0,
    recovery_hashes bytea[] not null default '{}'
  );
`);
