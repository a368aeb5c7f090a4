import { sqlOf } from './migration.js';

/**
 * Changes that shippers make to packages: answers, changes of address, orders that take one back. Of few packages, so
 * the tables are plain; `src/orders/retention` removes the rows of orders that go.
 */
export const up = sqlOf(`
  create table package_answers (
    id uuid primary key,
    loggi_key uuid not null,
    order_id uuid not null,
    account_id uuid not null references accounts,
    phone text,
    address text,
    complement text,
    instructions text,
    note text,
    applied text[] not null,
    created_at timestamptz(3) not null default now(),
    completed_at timestamptz(3),
    completed_by uuid,
    completion_note text,
    check ((completed_at is null) = (completed_by is null))
  );
  create index package_answers_of_package on package_answers (loggi_key, created_at desc, id desc);
  create index package_answers_of_order on package_answers (order_id);
  create index package_answers_newest on package_answers (created_at desc, id desc);
  create index package_answers_open on package_answers (created_at, id) where completed_at is null;
  create table address_changes (
    id uuid primary key,
    loggi_key uuid not null,
    order_id uuid not null,
    account_id uuid not null references accounts,
    changed_by uuid not null,
    from_address text not null,
    from_complement text,
    to_address text not null,
    to_complement text,
    previous_lines jsonb,
    previous_total_centavos bigint,
    previous_rate_card_version integer,
    new_total_centavos bigint,
    created_at timestamptz(3) not null default now(),
    check (num_nulls(previous_lines, previous_total_centavos, previous_rate_card_version, new_total_centavos) in (0, 4))
  );
  create index address_changes_of_package on address_changes (loggi_key, created_at desc, id desc);
  create index address_changes_of_order on address_changes (order_id);
  create table package_returns (
    order_id uuid primary key,
    loggi_key uuid not null
  );
  create index package_returns_of_package on package_returns (loggi_key, order_id desc);
`);
