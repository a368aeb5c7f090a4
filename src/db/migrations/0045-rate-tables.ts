import { sqlOf } from './migration.js';

/** Tables of prices that accounts ask for (orders/rate-table/). A table without `made_at` waits to be made. */
export const up = sqlOf(`
  create table rate_tables (
    key text not null,
    account_id uuid not null,
    pickup_postal_code text not null,
    service text not null,
    weights text not null,
    file bytea,
    asked_at timestamp(3) with time zone not null default now(),
    made_at timestamp(3) with time zone,
    used_at timestamp(3) with time zone not null default now(),
    constraint rate_tables_pkey primary key (key),
    constraint rate_tables_check check ((made_at is null) = (file is null))
  );
  create index rate_tables_waiting on rate_tables (asked_at, key) where made_at is null;
  create index rate_tables_used on rate_tables (used_at);
`);
