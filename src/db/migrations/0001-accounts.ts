import { sqlOf } from './migration.js';

/** Accounts: payment methods, guards of logins, products, and answers kept for idempotency keys. */
export const up = sqlOf(`
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
    deleted_at timestamptz(3)
  );
  create unique index accounts_email_key on accounts (lower(email)) where deleted_at is null;
  create index accounts_newest on accounts (created_at desc, id desc) where deleted_at is null;
  create index accounts_epoch_changed on accounts (epoch_changed_at);

  create table payment_methods (
    id integer generated always as identity primary key,
    account_id uuid not null references accounts,
    kind text not null check (kind in ('invoice', 'credit_card', 'pix')),
    label text not null,
    created_at timestamptz(3) not null default now(),
    unique (account_id, id)
  );

  create table login_failures (
    subject text primary key,
    window_started_at timestamptz not null default now(),
    failures integer not null
  );

  create table idempotency_keys (
    account_id uuid not null references accounts,
    operation text not null,
    key text not null,
    door text not null,
    fingerprint bytea not null,
    answer bytea not null,
    created_at timestamptz not null default now(),
    primary key (account_id, operation, key)
  );
  create index idempotency_keys_created on idempotency_keys (created_at);

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
`);
