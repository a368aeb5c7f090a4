const CLAIMABLE = `state in ('ready', 'leased', 'waiting')`;
const QUEUE_STORAGE =
  'autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0';

/** Webhook endpoints, the lanes to them, what waits in the lanes, and what was sent. */
export const deliveries = `
  create table webhook_endpoints (
    id uuid primary key,
    account_id uuid not null references accounts,
    url text not null,
    username text not null,
    password_sealed bytea not null,
    secret_sealed bytea not null,
    previous_secret_sealed bytea,
    previous_secret_until timestamptz(3),
    lane_count smallint not null check (lane_count between 1 and 16),
    generation integer not null default 1,
    failing_since timestamptz(3),
    disabled_at timestamptz(3),
    disabled_reason text check (disabled_reason in ('operator', 'gone', 'failing')),
    version integer not null default 1,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    deleted_at timestamptz(3),
    public_key text,
    private_key_sealed bytea,
    previous_public_key text,
    previous_private_key_sealed bytea,
    previous_key_until timestamptz(3),
    check ((disabled_at is null) = (disabled_reason is null))
  ) with (fillfactor = 70);
  create unique index webhook_endpoints_url_key on webhook_endpoints (account_id, url) where deleted_at is null;
  create index webhook_endpoints_newest on webhook_endpoints (created_at desc, id desc) where deleted_at is null;
  create index webhook_endpoints_deleted on webhook_endpoints (id) where deleted_at is not null;
  create index webhook_endpoints_without_keys on webhook_endpoints (id)
  where public_key is null and deleted_at is null;
  create function erase_key_pairs() returns trigger language plpgsql as $$
    begin
      new.public_key := null;
      new.private_key_sealed := null;
      new.previous_public_key := null;
      new.previous_private_key_sealed := null;
      return new;
    end $$;
  create trigger erase_key_pairs before update of deleted_at on webhook_endpoints
  for each row when (new.deleted_at is not null) execute function erase_key_pairs();

  -- A lane is updated three times for each request: room in the page and an early vacuum keep that cheap. With the
  -- count of its changes in the keys, its present version is found without passing the former ones, which stay in the
  -- indexes while anybody holds a snapshot, such as pg_dump.
  create table webhook_lanes (
    id integer generated always as identity,
    endpoint_id uuid not null references webhook_endpoints,
    generation integer not null,
    number smallint not null check (number between -1 and 15),
    state text not null check (state in ('idle', 'ready', 'leased', 'waiting', 'stopped', 'held')),
    due_at timestamptz not null default now(),
    claim_id uuid,
    webhook_id uuid,
    attempt smallint not null default 0,
    slow_account_id uuid,
    changes bigint not null default 0,
    primary key (id, changes)
  ) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_cost_delay = 0);
  create index webhook_lanes_by_number on webhook_lanes (endpoint_id, generation, number, changes);
  -- The id makes this the only index that yields the lanes in the order in which they are claimed.
  create index webhook_lanes_due_prompt on webhook_lanes (due_at, id)
  where ${CLAIMABLE} and attempt = 0 and slow_account_id is null;
  create index webhook_lanes_due_slow on webhook_lanes (slow_account_id, due_at)
  where ${CLAIMABLE} and attempt = 0 and slow_account_id is not null;
  create index webhook_lanes_due_again on webhook_lanes (due_at) where ${CLAIMABLE} and attempt > 0;
  create index webhook_lanes_idle on webhook_lanes (due_at) where state = 'idle';
  create index webhook_lanes_off on webhook_lanes (endpoint_id) where state in ('stopped', 'held');

  -- No foreign keys: they would lock the lane's row for every movement. Lanes go only when nothing waits in them.
  create table webhook_notifications (
    lane_id integer not null,
    id bigint generated always as identity,
    loggi_key uuid not null,
    seq integer not null,
    enqueued_at timestamptz not null default clock_timestamp(),
    traceparent text,
    primary key (lane_id, id)
  ) with (${QUEUE_STORAGE});

  create table webhook_requests (
    lane_id integer not null,
    id bigint generated always as identity,
    webhook_id uuid not null unique,
    primary key (lane_id, id)
  ) with (${QUEUE_STORAGE});

  create table webhook_deliveries (
    webhook_id uuid primary key,
    endpoint_id uuid not null,
    lane_id integer not null,
    kind text not null check (kind in ('tracking', 'test')),
    members bigint[] not null default '{}',
    package_count smallint not null,
    attempts_before integer not null default 0,
    body bytea,
    created_at timestamptz(3) not null default now(),
    dead_at timestamptz(3),
    retain_from timestamptz not null default now(),
    traceparents text[]
  ) partition by range (webhook_id);
  create index webhook_deliveries_of_endpoint on webhook_deliveries (endpoint_id, created_at);
  create index webhook_dead_letters on webhook_deliveries (endpoint_id, dead_at desc, webhook_id desc)
  where dead_at is not null and kind = 'tracking';
  create index webhook_deliveries_to_purge on webhook_deliveries (retain_from)
  where dead_at is null or kind = 'test';

  create table webhook_attempts (
    id bigint generated always as identity,
    webhook_id uuid not null,
    endpoint_id uuid not null,
    number integer not null,
    replay boolean not null,
    attempted_at timestamptz(3) not null,
    duration_ms integer not null,
    outcome text not null check (outcome in ('acknowledged', 'refused', 'no_answer', 'not_sent')),
    status_code smallint,
    error text,
    response_body text,
    lease_lost boolean not null,
    primary key (id, attempted_at)
  ) partition by range (attempted_at);
  create index webhook_attempts_of_delivery on webhook_attempts (webhook_id, id);
  create index webhook_attempts_of_endpoint on webhook_attempts (endpoint_id, id);
`;
