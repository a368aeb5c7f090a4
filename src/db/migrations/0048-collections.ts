import { sqlOf } from './migration.js';

/** Lists of packages that an account hands over together, and their receipts (orders/collections/). */
export const up = sqlOf(`
  create table collections (
    id uuid not null,
    account_id uuid not null,
    code text not null,
    package_count smallint not null,
    created_at timestamptz(3) not null default now(),
    cancelled_at timestamptz(3),
    received_at timestamptz(3),
    received_by uuid,
    happened_at timestamptz(3),
    city text,
    state text,
    extra_codes text[],
    fingerprint bytea,
    constraint collections_pkey primary key (id),
    constraint collections_code_key unique (code),
    constraint collections_account_id_fkey foreign key (account_id) references accounts (id),
    constraint collections_check check (received_at is null or cancelled_at is null)
  );
  create index collections_by_time on collections (created_at, id);
  create index collections_of_account on collections (account_id, created_at, id);

  create table collection_packages (
    collection_id uuid not null,
    position smallint not null,
    loggi_key uuid not null,
    order_id uuid not null,
    is_open boolean not null default true,
    outcome text,
    constraint collection_packages_pkey primary key (collection_id, position),
    constraint collection_packages_collection_id_fkey foreign key (collection_id) references collections (id),
    constraint collection_packages_outcome_check check (outcome in ('collected', 'missing', 'refused'))
  );
  create unique index collection_packages_open on collection_packages (loggi_key) where is_open;
  create index collection_packages_of_package on collection_packages (loggi_key);
`);
