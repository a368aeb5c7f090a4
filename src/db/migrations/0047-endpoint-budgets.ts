import { sqlOf } from './migration.js';

/** Counts the requests of an account to its endpoint, in windows of an hour (endpoints/budgets.ts). */
export const up = sqlOf(`
  create table endpoint_budgets (
    endpoint_id uuid not null,
    action text not null,
    window_started_at timestamptz not null default now(),
    used integer not null,
    constraint endpoint_budgets_pkey primary key (endpoint_id, action)
  );
`);
