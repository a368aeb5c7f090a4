import { sqlOf } from './migration.js';

/** A notification's trace, null unless a request was traced; and leases on what one process of all does. */
export const up = sqlOf(`
  alter table webhook_notifications add column traceparent text;
  alter table webhook_deliveries add column traceparents text[];
  create table leases (
    name text primary key,
    holder uuid not null,
    held_until timestamptz not null
  );
`);
