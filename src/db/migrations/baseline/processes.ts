/** Agreements of processes: answers for idempotency keys, leases, keys of secrets, marks of changes. */
export const PROCESSES = `
  create table idempotency_keys (
    account_id uuid not null,
    operation text not null,
    key text not null,
    door text not null,
    fingerprint bytea not null,
    answer bytea not null,
    created_at timestamptz not null default now(),
    primary key (account_id, operation, key, created_at)
  ) partition by range (created_at);
  create index idempotency_keys_created on idempotency_keys (created_at);

  create table leases (
    name text primary key,
    holder uuid not null,
    held_until timestamptz not null
  );

  create table sealing_keys (
    id text primary key,
    first_used_at timestamptz not null default now()
  );

  create table change_marks (
    marked_at timestamptz primary key,
    timeline integer not null,
    oldest xid8 not null
  );
`;
