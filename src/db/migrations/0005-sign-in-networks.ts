import { sqlOf } from './migration.js';

/** Networks that accounts signed in from, as keyed hashes, and the ids of the keys that secrets may be sealed with. */
export const up = sqlOf(`
  create table sign_in_networks (
    account_id uuid not null references accounts,
    network bytea not null,
    signed_in_at timestamptz not null default now(),
    primary key (account_id, network)
  );
  create index sign_in_networks_signed_in on sign_in_networks (signed_in_at);

  create table sealing_keys (
    id text primary key,
    first_used_at timestamptz not null default now()
  );
`);
