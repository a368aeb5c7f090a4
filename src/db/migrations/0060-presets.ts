import { sqlOf } from './migration.js';

/** Pickups and boxes that an account keeps under names, for its next orders. */
export const up = sqlOf(`
  create table presets (
    account_id uuid not null,
    pickups jsonb not null,
    boxes jsonb not null,
    version integer not null,
    constraint presets_pkey primary key (account_id),
    constraint presets_account_id_fkey foreign key (account_id) references accounts (id)
  );
`);
