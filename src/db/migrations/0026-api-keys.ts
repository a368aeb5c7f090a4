import { sqlOf } from './migration.js';

/** Named API keys, and the derived key before a rotation, which may stay valid for a while. */
export const up = sqlOf(`
  create table api_keys (
    id uuid primary key,
    account_id uuid not null references accounts,
    hash bytea not null unique,
    name text not null,
    scope text not null,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3),
    revoked_at timestamptz(3)
  );
  create index api_keys_newest on api_keys (account_id, created_at desc, id desc);
  create index api_keys_revoked on api_keys (revoked_at) where revoked_at is not null;
  create index api_keys_expiring on api_keys (expires_at) where expires_at is not null;
  -- Processes of earlier releases know no keys, but change passwords and roles, and delete accounts.
  create function revoke_api_keys() returns trigger language plpgsql as $$
    begin
      update api_keys set revoked_at = now() where account_id = new.id and revoked_at is null;
      return null;
    end $$;
  create trigger revoke_api_keys after update of password_hash, role on accounts
  for each row when (
    new.role <> old.role
    or new.password_hash <> old.password_hash and current_setting('malote.keep_api_keys', true) is distinct from 'on'
  ) execute function revoke_api_keys();
  alter table accounts
    add column previous_key_version integer,
    add column previous_key_until timestamptz(3);
`);
