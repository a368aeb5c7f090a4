import { sqlOf } from './migration.js';

/** Keys for machines of the operator, and the record of what operators and keys did. */
export const up = sqlOf(`
  create table operator_keys (
    id uuid primary key,
    hash bytea not null unique,
    name text not null,
    scope text not null,
    created_by uuid not null references accounts,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3),
    last_used_at timestamptz(3),
    revoked_at timestamptz(3)
  );
  create index operator_keys_newest on operator_keys (created_at desc, id desc);
  create index operator_keys_by_maker on operator_keys (created_by, created_at desc, id desc);
  -- Ends the keys of an operator who is deleted or demoted, by processes of earlier versions too.
  create function revoke_operator_keys() returns trigger language plpgsql as $$
    begin
      update operator_keys set revoked_at = now() where created_by = new.id and revoked_at is null;
      return null;
    end $$;
  create trigger revoke_operator_keys after update of role, deleted_at on accounts
  for each row when (old.role = 'operator' and (new.role <> 'operator' or new.deleted_at is not null))
  execute function revoke_operator_keys();

  create table audit_log (
    id uuid primary key,
    created_at timestamptz(3) not null default now(),
    actor_id uuid,
    key_id uuid,
    operation text not null,
    targets jsonb not null,
    location text,
    fields text[] not null,
    status smallint,
    request_id text
  );
  create index audit_log_newest on audit_log (created_at desc, id desc);
  create index audit_log_by_actor on audit_log (actor_id, created_at desc, id desc);
  create index audit_log_by_key on audit_log (key_id, created_at desc, id desc) where key_id is not null;
  create index audit_log_by_operation on audit_log (operation, created_at desc, id desc);
  -- The log is only ever added to.
  create function refuse_change_of_audit_log() returns trigger language plpgsql as $$
    begin
      raise exception 'audit_log is append-only' using errcode = 'insufficient_privilege';
    end $$;
  create trigger append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change_of_audit_log();
`);
