import { sqlOf } from './migration.js';

/** Records of erasures, done and due: ids and times only, so that they can be kept beside backups. */
export const up = sqlOf(`
  alter table accounts add column held_at timestamptz(3), add column erased_at timestamptz(3);
  alter table orders add column recipients_erased_at timestamptz(3);
  create index accounts_deleted on accounts (deleted_at, id) where deleted_at is not null and erased_at is null;
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
`);
