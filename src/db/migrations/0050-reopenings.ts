import { sqlOf } from './migration.js';

/**
 * A final status that was recorded by mistake is taken back by a movement of its own (orders/reopen-package.ts). The
 * two movements name each other by `seq`: what a package was after each of its movements stays known.
 */
export const up = sqlOf(`
  alter table movements add column reopens integer, add column reopened_by integer;
  create table package_reopenings (
    movement_id uuid not null,
    loggi_key uuid not null,
    order_id uuid not null,
    operator_id uuid not null,
    reason text not null,
    created_at timestamptz(3) not null default now(),
    constraint package_reopenings_pkey primary key (movement_id)
  );
  create index package_reopenings_of_package on package_reopenings (loggi_key);
  create index package_reopenings_of_order on package_reopenings (order_id);
`);
