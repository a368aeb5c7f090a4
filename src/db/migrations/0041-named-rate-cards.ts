import { sqlOf } from './migration.js';

/**
 * Rate cards have names and times at which they begin, and accounts have cards of other names (carrier/rate-cards.ts).
 * A card of an older process is one of `standard`, in force when it is added, as before.
 */
export const up = sqlOf(`
  alter table rate_cards
    add column name text not null default 'standard',
    add column valid_from timestamptz not null default now();
  update rate_cards set valid_from = created_at;
  create index rate_cards_in_force on rate_cards (name, valid_from, version);

  create table account_rate_cards (
    account_id uuid not null,
    valid_from timestamptz not null default now(),
    name text not null,
    created_at timestamptz not null default now(),
    constraint account_rate_cards_pkey primary key (account_id, valid_from),
    constraint account_rate_cards_account_id_fkey foreign key (account_id) references accounts (id)
  );
`);
