/** Accounts, with what guards and ends their access, and the record of what operators did. */
export const ACCOUNTS = `
  create table accounts (
    id uuid primary key,
    email text not null,
    name text not null,
    phone text not null,
    phone_confirmed boolean not null default false,
    role text not null check (role in ('operator', 'customer')),
    password_hash text not null,
    epoch integer not null default 1,
    epoch_changed_at timestamptz not null default now(),
    api_key_version integer not null default 1,
    version integer not null default 1,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    deleted_at timestamptz(3),
    held_at timestamptz(3),
    erased_at timestamptz(3),
    tax_id text,
    fiscal_rule text,
    previous_key_version integer,
    previous_key_until timestamptz(3),
    support_contact text
  );
  create unique index accounts_email_key on accounts (lower(email)) where deleted_at is null;
  create index accounts_newest on accounts (created_at desc, id desc) where deleted_at is null;
  create index accounts_epoch_changed on accounts (epoch_changed_at);
  create index accounts_deleted on accounts (deleted_at, id) where deleted_at is not null and erased_at is null;

  create function erase_tax_id() returns trigger language plpgsql as $$
    begin
      new.tax_id := null;
      return new;
    end $$;
  create trigger erase_tax_id before update of erased_at on accounts
  for each row when (new.erased_at is not null) execute function erase_tax_id();
  create function erase_support_contact() returns trigger language plpgsql as $$
    begin
      new.support_contact := null;
      return new;
    end $$;
  create trigger erase_support_contact before update of erased_at on accounts
  for each row when (new.erased_at is not null) execute function erase_support_contact();

  create table payment_methods (
    id integer generated always as identity primary key,
    account_id uuid not null references accounts,
    kind text not null check (kind in ('invoice', 'credit_card', 'pix')),
    label text not null,
    created_at timestamptz(3) not null default now(),
    unique (account_id, id)
  );

  create table products (
    id uuid primary key,
    account_id uuid not null references accounts,
    sku text not null,
    name text not null,
    description text not null,
    price_centavos bigint not null check (price_centavos >= 0),
    width double precision not null,
    height double precision not null,
    length double precision not null,
    weight double precision not null,
    version integer not null default 1,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    deleted_at timestamptz(3)
  );
  create unique index products_sku_key on products (account_id, sku) where deleted_at is null;
  create index products_newest on products (account_id, created_at desc, id desc) where deleted_at is null;

  create table login_failures (
    subject text primary key,
    window_started_at timestamptz not null default now(),
    failures integer not null
  );

  -- Networks are keyed hashes.
  create table sign_in_networks (
    account_id uuid not null references accounts,
    network bytea not null,
    signed_in_at timestamptz not null default now(),
    primary key (account_id, network)
  );
  create index sign_in_networks_signed_in on sign_in_networks (signed_in_at);

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
  -- Keys end with the password, whoever changes it.
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

  create table operator_keys (
    id uuid primary key,
    hash bytea not null unique,
    name text not null,
    scope text not null,
    created_by uuid not null references accounts,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3),
    last_used_at timestamptz(3),
    revoked_at timestamptz(3),
    with_factor boolean not null default true
  );
  create index operator_keys_newest on operator_keys (created_at desc, id desc);
  create index operator_keys_by_maker on operator_keys (created_by, created_at desc, id desc);
  -- Keys end with their operator, who is deleted or demoted.
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
  create function refuse_change_of_audit_log() returns trigger language plpgsql as $$
    begin
      raise exception 'audit_log is append-only' using errcode = 'insufficient_privilege';
    end $$;
  create trigger append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change_of_audit_log();

  -- Ids and times only, so that they can be stored beside backups.
  create table erasures (
    id uuid primary key,
    kind text not null check (kind in ('account', 'recipients')),
    account_id uuid unique references accounts,
    before timestamptz(3),
    requested_at timestamptz(3) not null default now(),
    orders integer not null default 0,
    finished_at timestamptz(3),
    leased_until timestamptz,
    check ((kind = 'account') = (account_id is not null)),
    check ((kind = 'recipients') = (before is not null))
  );
  create index erasures_newest on erasures (requested_at desc, id desc);
  create index erasures_open on erasures (requested_at) where finished_at is null;
`;
