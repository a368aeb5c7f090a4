create table account_rate_cards (
  account_id uuid not null,
  valid_from timestamp with time zone not null default now(),
  name text not null,
  created_at timestamp with time zone not null default now(),
  constraint account_rate_cards_pkey PRIMARY KEY (account_id, valid_from)
);

create table accounts (
  id uuid not null,
  email text not null,
  name text not null,
  phone text not null,
  phone_confirmed boolean not null default false,
  role text not null,
  password_hash text not null,
  epoch integer not null default 1,
  epoch_changed_at timestamp with time zone not null default now(),
  api_key_version integer not null default 1,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  deleted_at timestamp(3) with time zone,
  held_at timestamp(3) with time zone,
  erased_at timestamp(3) with time zone,
  tax_id text,
  fiscal_rule text,
  previous_key_version integer,
  previous_key_until timestamp(3) with time zone,
  support_contact text,
  factor_required boolean not null default false,
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_role_check CHECK ((role = ANY (ARRAY['operator'::text, 'customer'::text])))
);

create table address_changes (
  id uuid not null,
  loggi_key uuid not null,
  order_id uuid not null,
  account_id uuid not null,
  changed_by uuid not null,
  from_address text not null,
  from_complement text,
  to_address text not null,
  to_complement text,
  previous_lines jsonb,
  previous_total_centavos bigint,
  previous_rate_card_version integer,
  new_total_centavos bigint,
  created_at timestamp(3) with time zone not null default now(),
  constraint address_changes_pkey PRIMARY KEY (id),
  constraint address_changes_check CHECK ((num_nulls(previous_lines, previous_total_centavos, previous_rate_card_version, new_total_centavos) = ANY (ARRAY[0, 4])))
);

create table api_keys (
  id uuid not null,
  account_id uuid not null,
  hash bytea not null,
  name text not null,
  scope text not null,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  made_by uuid,
  constraint api_keys_hash_key UNIQUE (hash),
  constraint api_keys_pkey PRIMARY KEY (id)
);

create table audit_log (
  id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  actor_id uuid,
  key_id uuid,
  operation text not null,
  targets jsonb not null,
  location text,
  fields text[] not null,
  status smallint,
  request_id text,
  account_id uuid,
  by_operator boolean not null default true,
  constraint audit_log_pkey PRIMARY KEY (id)
);

create table brands (
  account_id uuid not null,
  color text,
  logo_type text,
  logo bytea,
  constraint brands_pkey PRIMARY KEY (account_id),
  constraint brands_color_check CHECK ((color ~ '^#[0-9a-f]{6}$'::text)),
  constraint brands_logo_type_check CHECK ((logo_type = ANY (ARRAY['image/jpeg'::text, 'image/png'::text, 'image/webp'::text])))
);

create table calendars (
  version integer not null,
  valid_from timestamp with time zone not null default now(),
  hours jsonb not null,
  closed jsonb not null,
  closed_count integer not null,
  created_at timestamp with time zone not null default now(),
  constraint calendars_pkey PRIMARY KEY (version)
);

create table change_marks (
  marked_at timestamp with time zone not null,
  timeline integer not null,
  oldest xid8 not null,
  constraint change_marks_pkey PRIMARY KEY (marked_at)
);

create table change_numbers (
  server text not null,
  numbering integer not null,
  constraint change_numbers_pkey PRIMARY KEY (server)
);

create table closed_months (
  month date not null,
  closed_at timestamp(3) with time zone not null default now(),
  constraint closed_months_pkey PRIMARY KEY (month)
);

create table collection_packages (
  collection_id uuid not null,
  position smallint not null,
  loggi_key uuid not null,
  order_id uuid not null,
  is_open boolean not null default true,
  outcome text,
  constraint collection_packages_pkey PRIMARY KEY (collection_id, "position"),
  constraint collection_packages_outcome_check CHECK ((outcome = ANY (ARRAY['collected'::text, 'missing'::text, 'refused'::text])))
);

create table collections (
  id uuid not null,
  account_id uuid not null,
  code text not null,
  package_count smallint not null,
  created_at timestamp(3) with time zone not null default now(),
  cancelled_at timestamp(3) with time zone,
  received_at timestamp(3) with time zone,
  received_by uuid,
  happened_at timestamp(3) with time zone,
  city text,
  state text,
  extra_codes text[],
  fingerprint bytea,
  constraint collections_code_key UNIQUE (code),
  constraint collections_pkey PRIMARY KEY (id),
  constraint collections_check CHECK (((received_at IS NULL) OR (cancelled_at IS NULL)))
);

create table counted_packages (
  loggi_key uuid not null,
  account_id uuid not null,
  promised_date date not null,
  status_code smallint not null,
  status_since timestamp with time zone not null,
  city text,
  state text,
  missed_on date,
  missed_why text,
  has_missed boolean not null,
  changed_on date not null,
  status_code_before smallint,
  city_before text,
  state_before text,
  missed_on_before date,
  missed_why_before text,
  constraint counted_packages_pkey PRIMARY KEY (loggi_key)
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.1);

create table day_end_counts (
  date date not null,
  number integer not null,
  packages integer not null,
  status_code smallint not null,
  late_days smallint,
  is_late boolean,
  missed_why text,
  city text,
  state text,
  account_id uuid,
  constraint day_end_counts_pkey PRIMARY KEY (date, number)
);

create table day_results (
  date date not null,
  packages integer not null,
  delivered integer not null,
  on_time integer not null,
  first_attempt integer not null,
  constraint day_results_pkey PRIMARY KEY (date)
);

create table delivery_pictures (
  loggi_key uuid not null,
  kind text not null,
  order_id uuid not null,
  media_type text not null,
  size integer not null,
  sealed bytea not null,
  sent_hash bytea,
  constraint delivery_pictures_pkey PRIMARY KEY (loggi_key, kind),
  constraint delivery_pictures_kind_check CHECK ((kind = ANY (ARRAY['photo'::text, 'signature'::text])))
);

create table delivery_pins (
  loggi_key uuid not null,
  order_id uuid not null,
  pin bytea not null,
  wrong_tries smallint not null default 0,
  confirmed_at timestamp(3) with time zone,
  overridden_at timestamp(3) with time zone,
  override_reason text,
  constraint delivery_pins_pkey PRIMARY KEY (loggi_key),
  constraint delivery_pins_check CHECK (((overridden_at IS NULL) = (override_reason IS NULL)))
);

create table delivery_proofs (
  loggi_key uuid not null,
  order_id uuid not null,
  movement_id uuid not null,
  facts bytea,
  constraint delivery_proofs_pkey PRIMARY KEY (loggi_key)
);

create table endpoint_budgets (
  endpoint_id uuid not null,
  action text not null,
  window_started_at timestamp with time zone not null default now(),
  used integer not null,
  constraint endpoint_budgets_pkey PRIMARY KEY (endpoint_id, action)
);

create table erasures (
  id uuid not null,
  kind text not null,
  account_id uuid,
  before timestamp(3) with time zone,
  requested_at timestamp(3) with time zone not null default now(),
  orders integer not null default 0,
  finished_at timestamp(3) with time zone,
  leased_until timestamp with time zone,
  constraint erasures_account_id_key UNIQUE (account_id),
  constraint erasures_pkey PRIMARY KEY (id),
  constraint erasures_check CHECK (((kind = 'account'::text) = (account_id IS NOT NULL))),
  constraint erasures_check1 CHECK (((kind = 'recipients'::text) = (before IS NOT NULL))),
  constraint erasures_kind_check CHECK ((kind = ANY (ARRAY['account'::text, 'recipients'::text])))
);

create table fiscal_keys (
  account_id uuid not null,
  key text not null,
  order_ids uuid[] not null,
  constraint fiscal_keys_pkey PRIMARY KEY (account_id, key)
);

create table idempotency_keys (
  account_id uuid not null,
  operation text not null,
  key text not null,
  door text not null,
  fingerprint bytea not null,
  answer bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint idempotency_keys_pkey PRIMARY KEY (account_id, operation, key, created_at)
) partition by RANGE (created_at);

create table key_copies (
  source text not null,
  last_id uuid not null,
  constraint key_copies_pkey PRIMARY KEY (source)
);

create table leases (
  name text not null,
  holder uuid not null,
  held_until timestamp with time zone not null,
  constraint leases_pkey PRIMARY KEY (name)
);

create table ledger_entries (
  id uuid not null default gen_random_uuid(),
  account_id uuid not null,
  at timestamp(3) with time zone not null default now(),
  kind text not null default 'price_changed'::text,
  order_id uuid not null,
  external_id text,
  loggi_key uuid,
  service text not null,
  payment_method_id integer not null,
  centavos bigint not null,
  constraint ledger_entries_pkey PRIMARY KEY (id),
  constraint ledger_entries_kind_check CHECK ((kind = ANY (ARRAY['order_created'::text, 'return_created'::text, 'package_cancelled'::text, 'address_changed'::text, 'price_changed'::text])))
);

create table login_failures (
  subject text not null,
  window_started_at timestamp with time zone not null default now(),
  failures integer not null,
  constraint login_failures_pkey PRIMARY KEY (subject)
);

create table members (
  id uuid not null,
  account_id uuid not null,
  name text not null,
  email text not null,
  role text not null,
  password_hash text,
  epoch integer not null default 0,
  epoch_changed_at timestamp with time zone not null default now(),
  link_hash bytea,
  link_expires_at timestamp with time zone,
  invited_by uuid,
  created_at timestamp with time zone not null default now(),
  removed_at timestamp with time zone,
  constraint members_pkey PRIMARY KEY (id),
  constraint members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'shipper'::text, 'viewer'::text])))
);

create table movement_keys (
  id uuid not null,
  loggi_key uuid not null,
  constraint movement_keys_pkey PRIMARY KEY (id)
);

create table movements (
  id uuid not null,
  loggi_key uuid not null,
  seq integer not null,
  status_code smallint not null,
  happened_at timestamp with time zone not null,
  recorded_at timestamp with time zone not null default clock_timestamp(),
  city text,
  state text,
  reason_label text,
  reason_description text,
  agency_address text,
  agency_city text,
  agency_state text,
  agency_postal_code text,
  reported_at timestamp with time zone,
  attempt_outcome text,
  attempt_next_on date,
  expected_from timestamp with time zone,
  expected_to timestamp with time zone,
  reopens integer,
  reopened_by integer,
  constraint movements_loggi_key_seq_key UNIQUE (loggi_key, seq),
  constraint movements_pkey PRIMARY KEY (loggi_key, id)
) partition by RANGE (loggi_key);

create table operator_keys (
  id uuid not null,
  hash bytea not null,
  name text not null,
  scope text not null,
  created_by uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  with_factor boolean not null default true,
  constraint operator_keys_hash_key UNIQUE (hash),
  constraint operator_keys_pkey PRIMARY KEY (id)
);

create table operator_sessions (
  hash bytea not null,
  account_id uuid not null,
  epoch integer not null,
  admitted boolean not null,
  created_at timestamp with time zone not null default now(),
  used_at timestamp with time zone not null default now(),
  member_id uuid,
  member_epoch integer,
  constraint operator_sessions_pkey PRIMARY KEY (hash)
);

create table order_external_ids (
  account_id uuid not null,
  external_id text not null,
  order_id uuid not null,
  constraint order_external_ids_pkey PRIMARY KEY (account_id, external_id)
);

create table order_tallies (
  scope uuid not null,
  hours smallint not null,
  starts_at timestamp(0) with time zone not null,
  shard smallint not null,
  created integer not null,
  processing integer not null,
  out_for_delivery integer not null,
  completed integer not null,
  cancelled integer not null,
  packages integer not null default 0,
  constraint order_tallies_pkey PRIMARY KEY (scope, hours, starts_at, shard),
  constraint order_tallies_hours_check CHECK ((hours = ANY (ARRAY[1, 336])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.05);

create table orders (
  id uuid not null,
  account_id uuid not null,
  external_id text,
  status text not null,
  payment_method_id integer not null,
  rate_card_version integer not null,
  price_lines jsonb not null,
  total_centavos bigint not null,
  distance_metres integer not null,
  distance_source text not null,
  pickup_count smallint not null,
  package_count smallint not null,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  recipients_erased_at timestamp(3) with time zone,
  service text not null default 'express'::text,
  changed xid8 not null default pg_current_xact_id(),
  ready_at timestamp(3) with time zone,
  metadata jsonb,
  constraint orders_pkey PRIMARY KEY (id),
  constraint orders_distance_source_check CHECK ((distance_source = ANY (ARRAY['great_circle'::text, 'osrm'::text]))),
  constraint orders_status_check CHECK ((status = ANY (ARRAY['created'::text, 'processing'::text, 'out_for_delivery'::text, 'completed'::text, 'cancelled'::text]))),
  constraint orders_total_centavos_check CHECK ((total_centavos >= 0))
) partition by RANGE (id);

create table package_answers (
  id uuid not null,
  loggi_key uuid not null,
  order_id uuid not null,
  account_id uuid not null,
  phone text,
  address text,
  complement text,
  instructions text,
  note text,
  applied text[] not null,
  created_at timestamp(3) with time zone not null default now(),
  completed_at timestamp(3) with time zone,
  completed_by uuid,
  completion_note text,
  kind text not null default 'answer'::text,
  day date,
  recipient_name text,
  problem text,
  proof_facts bytea,
  delivered_at timestamp(3) with time zone,
  movement_id uuid,
  constraint package_answers_pkey PRIMARY KEY (id),
  constraint package_answers_check CHECK (((completed_at IS NULL) = (completed_by IS NULL)))
);

create table package_codes (
  tracking_code text not null,
  barcode text not null,
  loggi_key uuid not null,
  constraint package_codes_barcode_key UNIQUE (barcode),
  constraint package_codes_pkey PRIMARY KEY (tracking_code)
);

create table package_reopenings (
  movement_id uuid not null,
  loggi_key uuid not null,
  order_id uuid not null,
  operator_id uuid not null,
  reason text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint package_reopenings_pkey PRIMARY KEY (movement_id)
);

create table package_returns (
  order_id uuid not null,
  loggi_key uuid not null,
  constraint package_returns_pkey PRIMARY KEY (order_id)
);

create table package_statuses (
  code smallint not null,
  name text not null,
  description text not null,
  requirement text,
  final boolean not null,
  stage text not null,
  public_title jsonb,
  constraint package_statuses_pkey PRIMARY KEY (code),
  constraint package_statuses_check CHECK ((final = (stage = ANY (ARRAY['completed'::text, 'cancelled'::text])))),
  constraint package_statuses_code_check CHECK ((code > 0)),
  constraint package_statuses_requirement_check CHECK ((requirement = ANY (ARRAY['action_required'::text, 'pickup_agency'::text]))),
  constraint package_statuses_stage_check CHECK ((stage = ANY (ARRAY['created'::text, 'processing'::text, 'out_for_delivery'::text, 'completed'::text, 'cancelled'::text])))
);

create table packages (
  loggi_key uuid not null,
  account_id uuid not null,
  order_id uuid not null,
  position smallint not null,
  pickup_position smallint not null,
  tracking_code text not null,
  barcode text not null,
  recipient_name text not null,
  recipient_phone text not null,
  width double precision not null,
  height double precision not null,
  length double precision not null,
  weight double precision not null,
  items jsonb,
  address text not null,
  complement text,
  instructions text,
  latitude double precision not null,
  longitude double precision not null,
  precision text not null,
  city text not null,
  state text not null,
  district text,
  postal_code text,
  waypoint_index smallint not null,
  eta timestamp(3) with time zone not null,
  leg_metres integer not null,
  promised_date date not null,
  seq integer not null,
  status_code smallint not null,
  status_since timestamp with time zone not null,
  current_movement_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  tracking_link integer,
  declared_centavos integer,
  line_haul_centavos bigint,
  direct_metres integer,
  recipient_tax_id text,
  fiscal_kind text,
  fiscal_key text,
  fiscal_reason text,
  changed xid8 not null default pg_current_xact_id(),
  accuracy_metres integer,
  link_shows_all boolean not null default true,
  deliver_from date,
  deliver_by date,
  location_given boolean,
  reference text,
  attempt_count smallint,
  attempt_outcome text,
  attempt_next_on date,
  attempted_at timestamp with time zone,
  constraint packages_order_id_position_key UNIQUE (order_id, "position", loggi_key),
  constraint packages_pkey PRIMARY KEY (loggi_key),
  constraint packages_leg_metres_check CHECK ((leg_metres >= 0)),
  constraint packages_precision_check CHECK (("precision" = ANY (ARRAY['rooftop'::text, 'street'::text, 'postal_code'::text, 'district'::text, 'city'::text])))
) partition by RANGE (loggi_key);

create table payment_methods (
  id integer not null generated always as identity,
  account_id uuid not null,
  kind text not null,
  label text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint payment_methods_account_id_id_key UNIQUE (account_id, id),
  constraint payment_methods_pkey PRIMARY KEY (id),
  constraint payment_methods_kind_check CHECK ((kind = ANY (ARRAY['invoice'::text, 'credit_card'::text, 'pix'::text])))
);

create table pickups (
  order_id uuid not null,
  position smallint not null,
  address text not null,
  complement text,
  instructions text,
  latitude double precision not null,
  longitude double precision not null,
  precision text not null,
  city text not null,
  state text not null,
  district text,
  postal_code text,
  waypoint_index smallint not null,
  eta timestamp(3) with time zone not null,
  leg_metres integer not null,
  accuracy_metres integer,
  location_given boolean,
  sender_name text,
  sender_phone text,
  constraint pickups_pkey PRIMARY KEY (order_id, "position"),
  constraint pickups_leg_metres_check CHECK ((leg_metres >= 0)),
  constraint pickups_precision_check CHECK (("precision" = ANY (ARRAY['rooftop'::text, 'street'::text, 'postal_code'::text, 'district'::text, 'city'::text])))
) partition by RANGE (order_id);

create table presets (
  account_id uuid not null,
  pickups jsonb not null,
  boxes jsonb not null,
  version integer not null,
  constraint presets_pkey PRIMARY KEY (account_id)
);

create table products (
  id uuid not null,
  account_id uuid not null,
  sku text not null,
  name text not null,
  description text not null,
  price_centavos bigint not null,
  width double precision not null,
  height double precision not null,
  length double precision not null,
  weight double precision not null,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  deleted_at timestamp(3) with time zone,
  constraint products_pkey PRIMARY KEY (id),
  constraint products_price_centavos_check CHECK ((price_centavos >= 0))
);

create table rate_cards (
  version integer not null,
  base_centavos integer not null,
  per_km_centavos integer not null,
  per_kg_centavos integer not null,
  per_extra_stop_centavos integer not null,
  volumetric_cm3_per_kg integer not null,
  created_at timestamp(3) with time zone not null default now(),
  urban_km integer,
  zones jsonb,
  ad_valorem jsonb,
  name text not null default 'standard'::text,
  valid_from timestamp with time zone not null default now(),
  constraint rate_cards_pkey PRIMARY KEY (version),
  constraint rate_cards_base_centavos_check CHECK ((base_centavos >= 0)),
  constraint rate_cards_per_extra_stop_centavos_check CHECK ((per_extra_stop_centavos >= 0)),
  constraint rate_cards_per_kg_centavos_check CHECK ((per_kg_centavos >= 0)),
  constraint rate_cards_per_km_centavos_check CHECK ((per_km_centavos >= 0)),
  constraint rate_cards_volumetric_cm3_per_kg_check CHECK ((volumetric_cm3_per_kg > 0))
);

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
  constraint rate_tables_pkey PRIMARY KEY (key),
  constraint rate_tables_check CHECK (((made_at IS NULL) = (file IS NULL)))
);

create table sealing_keys (
  id text not null,
  first_used_at timestamp with time zone not null default now(),
  constraint sealing_keys_pkey PRIMARY KEY (id)
);

create table second_factors (
  account_id uuid not null,
  secret_sealed bytea not null,
  confirmed_at timestamp(3) with time zone,
  last_step integer not null default 0,
  recovery_hashes bytea[] not null default '{}'::bytea[],
  constraint second_factors_pkey PRIMARY KEY (account_id)
);

create table service_areas (
  version integer not null,
  valid_from timestamp with time zone not null default now(),
  place_count integer not null,
  areas jsonb not null,
  created_at timestamp with time zone not null default now(),
  constraint service_areas_pkey PRIMARY KEY (version)
);

create table sign_in_emails (
  email text not null,
  holder uuid not null,
  constraint sign_in_emails_pkey PRIMARY KEY (email)
);

create table sign_in_networks (
  account_id uuid not null,
  network bytea not null,
  signed_in_at timestamp with time zone not null default now(),
  constraint sign_in_networks_pkey PRIMARY KEY (account_id, network)
);

create table statements (
  account_id uuid not null,
  month date not null,
  line_count integer not null,
  total_centavos bigint not null,
  sums jsonb not null,
  sha256_pt text not null,
  sha256_en text not null,
  closed_at timestamp(3) with time zone not null default now(),
  constraint statements_pkey PRIMARY KEY (account_id, month)
);

create table webhook_attempts (
  id bigint not null generated always as identity,
  webhook_id uuid not null,
  endpoint_id uuid not null,
  number integer not null,
  replay boolean not null,
  attempted_at timestamp(3) with time zone not null,
  duration_ms integer not null,
  outcome text not null,
  status_code smallint,
  error text,
  response_body text,
  lease_lost boolean not null,
  constraint webhook_attempts_pkey PRIMARY KEY (id, attempted_at),
  constraint webhook_attempts_outcome_check CHECK ((outcome = ANY (ARRAY['acknowledged'::text, 'refused'::text, 'no_answer'::text, 'not_sent'::text])))
) partition by RANGE (attempted_at);

create table webhook_catch_ups (
  id bigint not null generated always as identity,
  endpoint_id uuid not null,
  kind text not null,
  since timestamp with time zone not null,
  until timestamp with time zone,
  known pg_snapshot,
  timeline integer not null,
  from_changed xid8 not null,
  after_changed xid8 not null,
  after_key uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  awaited text[],
  turn_at timestamp with time zone not null default clock_timestamp(),
  ended_at timestamp with time zone,
  constraint webhook_catch_ups_pkey PRIMARY KEY (id),
  constraint webhook_catch_ups_kind_check CHECK ((kind = ANY (ARRAY['moved'::text, 'open'::text, 'unsent'::text])))
);

create table webhook_deliveries (
  webhook_id uuid not null,
  endpoint_id uuid not null,
  lane_id integer not null,
  kind text not null,
  members bigint[] not null default '{}'::bigint[],
  package_count smallint not null,
  attempts_before integer not null default 0,
  body bytea,
  created_at timestamp(3) with time zone not null default now(),
  dead_at timestamp(3) with time zone,
  retain_from timestamp with time zone not null default now(),
  traceparents text[],
  constraint webhook_deliveries_pkey PRIMARY KEY (webhook_id),
  constraint webhook_deliveries_kind_check CHECK ((kind = ANY (ARRAY['tracking'::text, 'test'::text])))
) partition by RANGE (webhook_id);

create table webhook_endpoints (
  id uuid not null,
  account_id uuid not null,
  url text not null,
  username text not null,
  password_sealed bytea not null,
  secret_sealed bytea not null,
  previous_secret_sealed bytea,
  previous_secret_until timestamp(3) with time zone,
  lane_count smallint not null,
  generation integer not null default 1,
  failing_since timestamp(3) with time zone,
  disabled_at timestamp(3) with time zone,
  disabled_reason text,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  deleted_at timestamp(3) with time zone,
  public_key text,
  private_key_sealed bytea,
  previous_public_key text,
  previous_private_key_sealed bytea,
  previous_key_until timestamp(3) with time zone,
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint webhook_endpoints_check CHECK (((disabled_at IS NULL) = (disabled_reason IS NULL))),
  constraint webhook_endpoints_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['operator'::text, 'gone'::text, 'failing'::text]))),
  constraint webhook_endpoints_lane_count_check CHECK (((lane_count >= 1) AND (lane_count <= 16)))
) with (fillfactor=70);

create table webhook_lanes (
  id integer not null generated always as identity,
  endpoint_id uuid not null,
  generation integer not null,
  number smallint not null,
  state text not null,
  due_at timestamp with time zone not null default now(),
  claim_id uuid,
  webhook_id uuid,
  attempt smallint not null default 0,
  slow_account_id uuid,
  changes bigint not null default 0,
  constraint webhook_lanes_pkey PRIMARY KEY (id, changes),
  constraint webhook_lanes_number_check CHECK (((number >= '-1'::integer) AND (number <= 15))),
  constraint webhook_lanes_state_check CHECK ((state = ANY (ARRAY['idle'::text, 'ready'::text, 'leased'::text, 'waiting'::text, 'stopped'::text, 'held'::text])))
) with (fillfactor=40, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_delay=0);

create table webhook_notifications (
  lane_id integer not null,
  id bigint not null generated always as identity,
  loggi_key uuid not null,
  seq integer not null,
  enqueued_at timestamp with time zone not null default clock_timestamp(),
  traceparent text,
  constraint webhook_notifications_pkey PRIMARY KEY (lane_id, id)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.05, autovacuum_vacuum_cost_delay=0);

create table webhook_requests (
  lane_id integer not null,
  id bigint not null generated always as identity,
  webhook_id uuid not null,
  constraint webhook_requests_webhook_id_key UNIQUE (webhook_id),
  constraint webhook_requests_pkey PRIMARY KEY (lane_id, id)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.05, autovacuum_vacuum_cost_delay=0);

alter table delivery_pictures alter sealed set storage external;

create view movements_by_id as SELECT id,
    loggi_key
   FROM movement_keys;

create view orders_by_external_id as SELECT account_id,
    external_id,
    order_id
   FROM order_external_ids;

create view packages_by_code as SELECT tracking_code,
    barcode,
    loggi_key
   FROM package_codes;

create sequence package_number as bigint increment 1 start 1 cache 1;

CREATE OR REPLACE FUNCTION count_packages_on_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      insert into counted_packages (
        loggi_key, account_id, promised_date, status_code, status_since, has_missed, changed_on)
      select loggi_key, account_id, promised_date, status_code, status_since, false, (now() at time zone 'America/Sao_Paulo')::date from added
      on conflict do nothing;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION count_packages_on_update()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      keys uuid[];
    begin
      keys := array(select p.loggi_key from added p join removed former using (loggi_key) where 
  (p.status_code, p.status_since, p.promised_date, p.current_movement_id, p.attempt_outcome, p.attempted_at)
    is distinct from (former.status_code, former.status_since, former.promised_date,
      former.current_movement_id, former.attempt_outcome, former.attempted_at) order by 1);
      if cardinality(keys) = 0 then return null; end if;
      -- Bounds in the text keep the plan to the months of these packages; without them it covers all partitions.
      execute format($statement$
        with changed as (
          select p.*, former.status_code as former_code, former.promised_date as former_date,
            former.status_since as former_since, former.attempt_count as former_attempts
          from added p join removed former using (loggi_key)
          where 
  (p.status_code, p.status_since, p.promised_date, p.current_movement_id, p.attempt_outcome, p.attempted_at)
    is distinct from (former.status_code, former.status_since, former.promised_date,
      former.current_movement_id, former.attempt_outcome, former.attempted_at)
        ), taken_back as (
          update day_results set packages = packages - 1, delivered = delivered - (former_code = 5)::integer,
            on_time = on_time - (former_code = 5 and (former_since at time zone 'America/Sao_Paulo')::date <= former_date)::integer,
            first_attempt = first_attempt - (former_code = 5 and coalesce(former_attempts, 0) = 0)::integer
          from changed join package_statuses s on s.code = former_code and s.final and s.stage <> 'cancelled'
          where date = former_date and day_results.packages > 0
            and not exists (select from counted_packages kept where kept.loggi_key = changed.loggi_key)
        )
        insert into counted_packages as kept (loggi_key, account_id, promised_date, status_code, status_since, city, state, missed_on, missed_why, has_missed, changed_on, status_code_before)
        select 
  p.loggi_key, p.account_id, p.promised_date, p.status_code, p.status_since, m.city, m.state,
  (case when p.status_code = 18 and (p.attempted_at is null or p.attempted_at < p.status_since) then p.status_since else p.attempted_at end at time zone 'America/Sao_Paulo')::date,
  case when p.status_code = 18 and (p.attempted_at is null or p.attempted_at < p.status_since) then 'absent' else p.attempt_outcome end, p.status_code = 18 or coalesce(p.attempt_count, 0) > 0, (now() at time zone 'America/Sao_Paulo')::date, former_code
        from changed p 
  left join movements m on p.seq > 1 and m.loggi_key = p.loggi_key and m.id = p.current_movement_id and m.loggi_key >= %L and m.loggi_key <= %L
        order by p.loggi_key
        on conflict (loggi_key) do update set 
    status_code_before = case when kept.changed_on < excluded.changed_on then kept.status_code else kept.status_code_before end,
    city_before = case when kept.changed_on < excluded.changed_on then kept.city else kept.city_before end,
    state_before = case when kept.changed_on < excluded.changed_on then kept.state else kept.state_before end,
    missed_on_before = case when kept.changed_on < excluded.changed_on then kept.missed_on else kept.missed_on_before end,
    missed_why_before = case when kept.changed_on < excluded.changed_on then kept.missed_why else kept.missed_why_before end,
          promised_date = excluded.promised_date, status_code = excluded.status_code,
          status_since = excluded.status_since, city = excluded.city, state = excluded.state,
          missed_on = excluded.missed_on, missed_why = excluded.missed_why,
          has_missed = kept.has_missed or excluded.has_missed, changed_on = excluded.changed_on
        $statement$, keys[1], keys[cardinality(keys)]);
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION enter_price_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      insert into ledger_entries (account_id, order_id, external_id, service, payment_method_id, centavos)
      values (new.account_id, new.id, new.external_id, new.service, new.payment_method_id,
        new.total_centavos - old.total_centavos);
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION erase_documents()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      update packages set recipient_tax_id = null, fiscal_key = null, fiscal_reason = null
      where order_id = new.id and num_nonnulls(recipient_tax_id, fiscal_key, fiscal_reason) > 0;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION erase_key_pairs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.public_key := null;
      new.private_key_sealed := null;
      new.previous_public_key := null;
      new.previous_private_key_sealed := null;
      return new;
    end $function$
;

CREATE OR REPLACE FUNCTION erase_names()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.metadata := null;
      update pickups set sender_name = null, sender_phone = null
      where order_id = new.id and num_nonnulls(sender_name, sender_phone) > 0;
      return new;
    end $function$
;

CREATE OR REPLACE FUNCTION erase_proofs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      update delivery_proofs set facts = null where order_id = new.id;
      delete from delivery_pictures where order_id = new.id;
      delete from delivery_pins where order_id = new.id;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION erase_support_contact()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.support_contact := null;
      return new;
    end $function$
;

CREATE OR REPLACE FUNCTION erase_tax_id()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.tax_id := null;
      return new;
    end $function$
;

CREATE OR REPLACE FUNCTION free_fiscal_keys()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      delete from fiscal_keys where order_ids @> array[new.id] and cardinality(order_ids) = 1;
      update fiscal_keys set order_ids = array_remove(order_ids, new.id) where order_ids @> array[new.id];
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION hold_account_email()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'DELETE' then
        delete from sign_in_emails where holder = old.id;
        return null;
      end if;
      delete from sign_in_emails where holder = new.id;
      if new.deleted_at is null then
        insert into sign_in_emails (email, holder) values (lower(new.email), new.id);
      end if;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION hold_member_email()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      delete from sign_in_emails where holder = new.id;
      if new.removed_at is null then
        insert into sign_in_emails (email, holder) values (lower(new.email), new.id);
      end if;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION make_partition(parent regclass, partition text, lower text, upper text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  declare
    place text := (
      select relnamespace::regnamespace::text from pg_class
      where oid = parent and relkind = 'p' and relowner = current_user::regrole
        and has_table_privilege(session_user, parent, 'insert'));
  begin
    if place is null or not starts_with(partition, (select relname from pg_class where oid = parent) || '_') then
      raise 'no partition % of % can be made', partition, parent using errcode = 'insufficient_privilege';
    end if;
    execute format('create table %s.%I (like %s including all excluding identity)', place, partition, parent);
    execute format(
      'alter table %s attach partition %s.%I for values from (%L) to (%L)', parent, place, partition, lower, upper);
  end $function$
;

CREATE OR REPLACE FUNCTION note_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.changed := pg_current_xact_id();
      return new;
    end $function$
;

CREATE OR REPLACE FUNCTION note_return()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      update packages set changed = default where loggi_key = new.loggi_key;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION order_metadata_terms(account_id uuid, metadata jsonb)
 RETURNS bigint[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (SELECT array_agg(hashtextextended((((((order_metadata_terms.account_id)::text || ' '::text) || fact.key) || ' '::text) || fact.value), (0)::bigint)) AS array_agg FROM jsonb_each_text(order_metadata_terms.metadata) fact(key, value))
;

CREATE OR REPLACE FUNCTION orders_are_partitioned()
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$select true$function$
;

CREATE OR REPLACE FUNCTION owe_movements()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      now_on integer := ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer;
    begin
      update webhook_catch_ups set awaited = null
      where endpoint_id = new.id and kind = 'moved' and until is null and ended_at is null;
      if found then
        return null;
      end if;
      if old.disabled_at is null then
        insert into webhook_catch_ups (endpoint_id, kind, since, known, timeline, from_changed, after_changed)
        select new.id, 'moved', clock_timestamp(), seen, now_on, pg_snapshot_xmin(seen), pg_snapshot_xmin(seen)
        from pg_current_snapshot() seen;
      else
        insert into webhook_catch_ups (endpoint_id, kind, since, timeline, from_changed, after_changed)
        select new.id, 'moved', old.disabled_at, now_on, oldest, oldest
        from (select coalesce((
          select oldest from change_marks where marked_at <= old.disabled_at order by marked_at desc limit 1
        ), '0'::xid8) as oldest) mark;
      end if;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION refuse_change_of_audit_log()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      raise exception 'audit_log is append-only' using errcode = 'insufficient_privilege';
    end $function$
;

CREATE OR REPLACE FUNCTION revoke_api_keys()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      update api_keys set revoked_at = now() where account_id = new.id and revoked_at is null;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION revoke_operator_keys()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      update operator_keys set revoked_at = now() where created_by = new.id and revoked_at is null;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION tally_orders_on_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      
  insert into order_tallies as tally (scope, hours, starts_at, shard, created, processing, out_for_delivery, completed, cancelled, packages)
  select scope, hours, starts_at, coalesce(idle.shard, (random() * 32767)::smallint), change.created, change.processing, change.out_for_delivery, change.completed, change.cancelled, change.packages
  from (
    select
      scope, hours, date_bin(make_interval(hours => hours), created_at, timestamptz '1970-01-01Z') as starts_at,
      coalesce(sum(change) filter (where status = 'created'), 0) as created, coalesce(sum(change) filter (where status = 'processing'), 0) as processing, coalesce(sum(change) filter (where status = 'out_for_delivery'), 0) as out_for_delivery, coalesce(sum(change) filter (where status = 'completed'), 0) as completed, coalesce(sum(change) filter (where status = 'cancelled'), 0) as cancelled,
      coalesce(sum(change * package_count), 0) as packages
    from (select account_id, created_at, status, package_count, -1 as change from removed) changes,
      unnest(array[account_id, '00000000-0000-0000-0000-000000000000'::uuid]) scope,
      unnest(array[1, 336]) hours
    group by scope, hours, 3
  ) change
  left join lateral (
    select shard from order_tallies found
    where (found.scope, found.hours, found.starts_at) = (change.scope, change.hours, change.starts_at)
    limit 1 for no key update skip locked) idle on true
  where change.created <> 0 or change.processing <> 0 or change.out_for_delivery <> 0 or change.completed <> 0 or change.cancelled <> 0 or change.packages <> 0
  on conflict (scope, hours, starts_at, shard) do update set
    created = tally.created + excluded.created, processing = tally.processing + excluded.processing, out_for_delivery = tally.out_for_delivery + excluded.out_for_delivery, completed = tally.completed + excluded.completed, cancelled = tally.cancelled + excluded.cancelled, packages = tally.packages + excluded.packages;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION tally_orders_on_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      
  insert into order_tallies as tally (scope, hours, starts_at, shard, created, processing, out_for_delivery, completed, cancelled, packages)
  select scope, hours, starts_at, coalesce(idle.shard, (random() * 32767)::smallint), change.created, change.processing, change.out_for_delivery, change.completed, change.cancelled, change.packages
  from (
    select
      scope, hours, date_bin(make_interval(hours => hours), created_at, timestamptz '1970-01-01Z') as starts_at,
      coalesce(sum(change) filter (where status = 'created'), 0) as created, coalesce(sum(change) filter (where status = 'processing'), 0) as processing, coalesce(sum(change) filter (where status = 'out_for_delivery'), 0) as out_for_delivery, coalesce(sum(change) filter (where status = 'completed'), 0) as completed, coalesce(sum(change) filter (where status = 'cancelled'), 0) as cancelled,
      coalesce(sum(change * package_count), 0) as packages
    from (select account_id, created_at, status, package_count, 1 as change from added) changes,
      unnest(array[account_id, '00000000-0000-0000-0000-000000000000'::uuid]) scope,
      unnest(array[1, 336]) hours
    group by scope, hours, 3
  ) change
  left join lateral (
    select shard from order_tallies found
    where (found.scope, found.hours, found.starts_at) = (change.scope, change.hours, change.starts_at)
    limit 1 for no key update skip locked) idle on true
  where change.created <> 0 or change.processing <> 0 or change.out_for_delivery <> 0 or change.completed <> 0 or change.cancelled <> 0 or change.packages <> 0
  on conflict (scope, hours, starts_at, shard) do update set
    created = tally.created + excluded.created, processing = tally.processing + excluded.processing, out_for_delivery = tally.out_for_delivery + excluded.out_for_delivery, completed = tally.completed + excluded.completed, cancelled = tally.cancelled + excluded.cancelled, packages = tally.packages + excluded.packages;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION tally_orders_on_update()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      
  insert into order_tallies as tally (scope, hours, starts_at, shard, created, processing, out_for_delivery, completed, cancelled, packages)
  select scope, hours, starts_at, coalesce(idle.shard, (random() * 32767)::smallint), change.created, change.processing, change.out_for_delivery, change.completed, change.cancelled, change.packages
  from (
    select
      scope, hours, date_bin(make_interval(hours => hours), created_at, timestamptz '1970-01-01Z') as starts_at,
      coalesce(sum(change) filter (where status = 'created'), 0) as created, coalesce(sum(change) filter (where status = 'processing'), 0) as processing, coalesce(sum(change) filter (where status = 'out_for_delivery'), 0) as out_for_delivery, coalesce(sum(change) filter (where status = 'completed'), 0) as completed, coalesce(sum(change) filter (where status = 'cancelled'), 0) as cancelled,
      coalesce(sum(change * package_count), 0) as packages
    from (select account_id, created_at, status, package_count, 1 as change from added union all select account_id, created_at, status, package_count, -1 as change from removed) changes,
      unnest(array[account_id, '00000000-0000-0000-0000-000000000000'::uuid]) scope,
      unnest(array[1, 336]) hours
    group by scope, hours, 3
  ) change
  left join lateral (
    select shard from order_tallies found
    where (found.scope, found.hours, found.starts_at) = (change.scope, change.hours, change.starts_at)
    limit 1 for no key update skip locked) idle on true
  where change.created <> 0 or change.processing <> 0 or change.out_for_delivery <> 0 or change.completed <> 0 or change.cancelled <> 0 or change.packages <> 0
  on conflict (scope, hours, starts_at, shard) do update set
    created = tally.created + excluded.created, processing = tally.processing + excluded.processing, out_for_delivery = tally.out_for_delivery + excluded.out_for_delivery, completed = tally.completed + excluded.completed, cancelled = tally.cancelled + excluded.cancelled, packages = tally.packages + excluded.packages;
      return null;
    end $function$
;

alter table account_rate_cards add constraint account_rate_cards_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

alter table address_changes add constraint address_changes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

alter table api_keys add constraint api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

alter table brands add constraint brands_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

alter table collection_packages add constraint collection_packages_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES collections(id);

alter table collections add constraint collections_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

alter table erasures add constraint erasures_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

alter table members add constraint members_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

alter table movements add constraint movements_status_code_fkey FOREIGN KEY (status_code) REFERENCES package_statuses(code);

alter table operator_keys add constraint operator_keys_created_by_fkey FOREIGN KEY (created_by) REFERENCES accounts(id);

alter table operator_sessions add constraint operator_sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

alter table orders add constraint orders_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

alter table orders add constraint orders_account_id_payment_method_id_fkey FOREIGN KEY (account_id, payment_method_id) REFERENCES payment_methods(account_id, id);

alter table orders add constraint orders_rate_card_version_fkey FOREIGN KEY (rate_card_version) REFERENCES rate_cards(version);

alter table package_answers add constraint package_answers_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

alter table packages add constraint packages_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

alter table packages add constraint packages_status_code_fkey FOREIGN KEY (status_code) REFERENCES package_statuses(code);

alter table payment_methods add constraint payment_methods_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

alter table presets add constraint presets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

alter table products add constraint products_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

alter table sign_in_networks add constraint sign_in_networks_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

alter table webhook_catch_ups add constraint webhook_catch_ups_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE;

alter table webhook_endpoints add constraint webhook_endpoints_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

alter table webhook_lanes add constraint webhook_lanes_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id);

CREATE INDEX accounts_deleted ON accounts USING btree (deleted_at, id) WHERE ((deleted_at IS NOT NULL) AND (erased_at IS NULL));

CREATE UNIQUE INDEX accounts_email_key ON accounts USING btree (lower(email)) WHERE (deleted_at IS NULL);

CREATE INDEX accounts_epoch_changed ON accounts USING btree (epoch_changed_at);

CREATE INDEX accounts_newest ON accounts USING btree (created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX address_changes_of_order ON address_changes USING btree (order_id);

CREATE INDEX address_changes_of_package ON address_changes USING btree (loggi_key, created_at DESC, id DESC);

CREATE INDEX api_keys_expiring ON api_keys USING btree (expires_at) WHERE (expires_at IS NOT NULL);

CREATE INDEX api_keys_newest ON api_keys USING btree (account_id, created_at DESC, id DESC);

CREATE INDEX api_keys_revoked ON api_keys USING btree (revoked_at) WHERE (revoked_at IS NOT NULL);

CREATE INDEX audit_log_by_key ON audit_log USING btree (key_id, created_at DESC, id DESC) WHERE (key_id IS NOT NULL);

CREATE INDEX audit_log_by_operator ON audit_log USING btree (actor_id, created_at, id) WHERE by_operator;

CREATE INDEX audit_log_by_operators ON audit_log USING btree (created_at, id) WHERE by_operator;

CREATE INDEX audit_log_by_operators_operation ON audit_log USING btree (operation, created_at, id) WHERE by_operator;

CREATE INDEX audit_log_of_account ON audit_log USING btree (account_id, created_at, id) WHERE (account_id IS NOT NULL);

CREATE INDEX audit_log_of_account_operation ON audit_log USING btree (account_id, operation, created_at, id) WHERE (account_id IS NOT NULL);

CREATE INDEX audit_log_of_person ON audit_log USING btree (actor_id, created_at, id) WHERE ((NOT by_operator) AND (key_id IS NULL));

CREATE UNIQUE INDEX change_numbers_one ON change_numbers USING btree ((true));

CREATE INDEX collection_packages_of_package ON collection_packages USING btree (loggi_key);

CREATE UNIQUE INDEX collection_packages_open ON collection_packages USING btree (loggi_key) WHERE is_open;

CREATE INDEX collections_by_time ON collections USING btree (created_at, id);

CREATE INDEX collections_of_account ON collections USING btree (account_id, created_at, id);

CREATE INDEX delivery_pictures_of_order ON delivery_pictures USING btree (order_id);

CREATE INDEX delivery_pins_of_order ON delivery_pins USING btree (order_id);

CREATE INDEX delivery_proofs_of_order ON delivery_proofs USING btree (order_id);

CREATE INDEX erasures_newest ON erasures USING btree (requested_at DESC, id DESC);

CREATE INDEX erasures_open ON erasures USING btree (requested_at) WHERE (finished_at IS NULL);

CREATE INDEX fiscal_keys_of_order ON fiscal_keys USING gin (order_ids);

CREATE INDEX idempotency_keys_created ON idempotency_keys USING btree (created_at);

CREATE INDEX ledger_entries_by_time ON ledger_entries USING btree (at, id);

CREATE INDEX ledger_entries_of_account ON ledger_entries USING btree (account_id, at, id);

CREATE INDEX ledger_entries_of_order ON ledger_entries USING btree (order_id);

CREATE INDEX members_email ON members USING btree (lower(email)) WHERE (removed_at IS NULL);

CREATE INDEX members_epoch_changed ON members USING btree (epoch_changed_at);

CREATE UNIQUE INDEX members_link ON members USING btree (link_hash) WHERE (link_hash IS NOT NULL);

CREATE INDEX members_of_account ON members USING btree (account_id, created_at, id) WHERE (removed_at IS NULL);

CREATE INDEX movements_history ON movements USING btree (loggi_key, happened_at DESC, seq DESC);

CREATE INDEX operator_keys_by_maker ON operator_keys USING btree (created_by, created_at DESC, id DESC);

CREATE INDEX operator_keys_newest ON operator_keys USING btree (created_at DESC, id DESC);

CREATE INDEX operator_sessions_created ON operator_sessions USING btree (created_at);

CREATE INDEX operator_sessions_of_account ON operator_sessions USING btree (account_id);

CREATE INDEX orders_by_metadata ON orders USING gin (order_metadata_terms(account_id, metadata)) WHERE (metadata IS NOT NULL);

CREATE INDEX orders_by_ready ON orders USING btree (ready_at, id) WHERE (ready_at IS NOT NULL);

CREATE INDEX orders_by_status_and_time ON orders USING btree (status, created_at, id);

CREATE INDEX orders_by_time ON orders USING btree (created_at, id);

CREATE INDEX orders_changed ON orders USING btree (account_id, changed, id);

CREATE INDEX orders_of_account_by_ready ON orders USING btree (account_id, ready_at, id) WHERE (ready_at IS NOT NULL);

CREATE INDEX orders_of_account_by_status_and_time ON orders USING btree (account_id, status, created_at, id);

CREATE INDEX orders_of_account_by_time ON orders USING btree (account_id, created_at, id);

CREATE INDEX package_answers_newest ON package_answers USING btree (created_at DESC, id DESC);

CREATE INDEX package_answers_of_order ON package_answers USING btree (order_id);

CREATE INDEX package_answers_of_package ON package_answers USING btree (loggi_key, created_at DESC, id DESC);

CREATE UNIQUE INDEX package_answers_one_open ON package_answers USING btree (loggi_key, kind) WHERE ((completed_at IS NULL) AND (kind <> 'answer'::text));

CREATE INDEX package_answers_open ON package_answers USING btree (created_at, id) WHERE (completed_at IS NULL);

CREATE INDEX package_reopenings_of_order ON package_reopenings USING btree (order_id);

CREATE INDEX package_reopenings_of_package ON package_reopenings USING btree (loggi_key);

CREATE INDEX package_returns_of_package ON package_returns USING btree (loggi_key, order_id DESC);

CREATE INDEX packages_by_attempt ON packages USING btree (account_id, attempt_outcome, created_at, loggi_key) WHERE (attempt_outcome IS NOT NULL);

CREATE INDEX packages_by_reference ON packages USING btree (reference, account_id) WHERE (reference IS NOT NULL);

CREATE INDEX packages_by_time ON packages USING btree (created_at, loggi_key);

CREATE INDEX packages_changed ON packages USING btree (account_id, changed, loggi_key);

CREATE INDEX packages_of_account_by_time ON packages USING btree (account_id, created_at, loggi_key);

CREATE INDEX products_newest ON products USING btree (account_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE UNIQUE INDEX products_sku_key ON products USING btree (account_id, sku) WHERE (deleted_at IS NULL);

CREATE INDEX rate_cards_in_force ON rate_cards USING btree (name, valid_from, version);

CREATE INDEX rate_tables_used ON rate_tables USING btree (used_at);

CREATE INDEX rate_tables_waiting ON rate_tables USING btree (asked_at, key) WHERE (made_at IS NULL);

CREATE INDEX sign_in_emails_of_holder ON sign_in_emails USING btree (holder);

CREATE INDEX sign_in_networks_signed_in ON sign_in_networks USING btree (signed_in_at);

CREATE INDEX statements_by_month ON statements USING btree (month, account_id);

CREATE INDEX webhook_attempts_of_delivery ON webhook_attempts USING btree (webhook_id, id);

CREATE INDEX webhook_attempts_of_endpoint ON webhook_attempts USING btree (endpoint_id, id);

CREATE INDEX webhook_catch_ups_of_endpoint ON webhook_catch_ups USING btree (endpoint_id, id);

CREATE INDEX webhook_catch_ups_under_way ON webhook_catch_ups USING btree (turn_at, id) WHERE (ended_at IS NULL);

CREATE INDEX webhook_dead_letters ON webhook_deliveries USING btree (endpoint_id, dead_at DESC, webhook_id DESC) WHERE ((dead_at IS NOT NULL) AND (kind = 'tracking'::text));

CREATE INDEX webhook_deliveries_of_endpoint ON webhook_deliveries USING btree (endpoint_id, created_at);

CREATE INDEX webhook_deliveries_to_purge ON webhook_deliveries USING btree (retain_from) WHERE ((dead_at IS NULL) OR (kind = 'test'::text));

CREATE INDEX webhook_endpoints_deleted ON webhook_endpoints USING btree (id) WHERE (deleted_at IS NOT NULL);

CREATE INDEX webhook_endpoints_newest ON webhook_endpoints USING btree (created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE UNIQUE INDEX webhook_endpoints_url_key ON webhook_endpoints USING btree (account_id, url) WHERE (deleted_at IS NULL);

CREATE INDEX webhook_endpoints_without_keys ON webhook_endpoints USING btree (id) WHERE ((public_key IS NULL) AND (deleted_at IS NULL));

CREATE INDEX webhook_lanes_by_number ON webhook_lanes USING btree (endpoint_id, generation, number, changes);

CREATE INDEX webhook_lanes_due_again ON webhook_lanes USING btree (due_at) WHERE ((state = ANY (ARRAY['ready'::text, 'leased'::text, 'waiting'::text])) AND (attempt > 0));

CREATE INDEX webhook_lanes_due_prompt ON webhook_lanes USING btree (due_at, id) WHERE ((state = ANY (ARRAY['ready'::text, 'leased'::text, 'waiting'::text])) AND (attempt = 0) AND (slow_account_id IS NULL));

CREATE INDEX webhook_lanes_due_slow ON webhook_lanes USING btree (slow_account_id, due_at) WHERE ((state = ANY (ARRAY['ready'::text, 'leased'::text, 'waiting'::text])) AND (attempt = 0) AND (slow_account_id IS NOT NULL));

CREATE INDEX webhook_lanes_idle ON webhook_lanes USING btree (due_at) WHERE (state = 'idle'::text);

CREATE INDEX webhook_lanes_off ON webhook_lanes USING btree (endpoint_id) WHERE (state = ANY (ARRAY['stopped'::text, 'held'::text]));

CREATE TRIGGER erase_support_contact BEFORE UPDATE OF erased_at ON accounts FOR EACH ROW WHEN ((new.erased_at IS NOT NULL)) EXECUTE FUNCTION erase_support_contact();

CREATE TRIGGER erase_tax_id BEFORE UPDATE OF erased_at ON accounts FOR EACH ROW WHEN ((new.erased_at IS NOT NULL)) EXECUTE FUNCTION erase_tax_id();

CREATE TRIGGER hold_account_email AFTER INSERT OR DELETE OR UPDATE OF email, deleted_at ON accounts FOR EACH ROW EXECUTE FUNCTION hold_account_email();

CREATE TRIGGER revoke_api_keys AFTER UPDATE OF password_hash, role ON accounts FOR EACH ROW WHEN (((new.role <> old.role) OR ((new.password_hash <> old.password_hash) AND (current_setting('malote.keep_api_keys'::text, true) IS DISTINCT FROM 'on'::text)))) EXECUTE FUNCTION revoke_api_keys();

CREATE TRIGGER revoke_operator_keys AFTER UPDATE OF role, deleted_at ON accounts FOR EACH ROW WHEN (((old.role = 'operator'::text) AND ((new.role <> 'operator'::text) OR (new.deleted_at IS NOT NULL)))) EXECUTE FUNCTION revoke_operator_keys();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit_log();

CREATE TRIGGER hold_member_email AFTER INSERT OR UPDATE OF email, removed_at ON members FOR EACH ROW EXECUTE FUNCTION hold_member_email();

CREATE TRIGGER enter_price_change AFTER UPDATE OF total_centavos ON orders FOR EACH ROW WHEN ((old.total_centavos <> new.total_centavos)) EXECUTE FUNCTION enter_price_change();

CREATE TRIGGER erase_documents AFTER UPDATE OF recipients_erased_at ON orders FOR EACH ROW WHEN ((new.recipients_erased_at IS NOT NULL)) EXECUTE FUNCTION erase_documents();

CREATE TRIGGER erase_names BEFORE UPDATE OF recipients_erased_at ON orders FOR EACH ROW WHEN ((new.recipients_erased_at IS NOT NULL)) EXECUTE FUNCTION erase_names();

CREATE TRIGGER erase_proofs AFTER UPDATE OF recipients_erased_at ON orders FOR EACH ROW WHEN ((new.recipients_erased_at IS NOT NULL)) EXECUTE FUNCTION erase_proofs();

CREATE TRIGGER free_fiscal_keys AFTER UPDATE OF status ON orders FOR EACH ROW WHEN ((new.status = ANY (ARRAY['completed'::text, 'cancelled'::text]))) EXECUTE FUNCTION free_fiscal_keys();

CREATE TRIGGER note_change BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION note_change();

CREATE TRIGGER tally_orders_on_delete AFTER DELETE ON orders REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION tally_orders_on_delete();

CREATE TRIGGER tally_orders_on_insert AFTER INSERT ON orders REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_orders_on_insert();

CREATE TRIGGER tally_orders_on_update AFTER UPDATE ON orders REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_orders_on_update();

CREATE TRIGGER note_return AFTER INSERT ON package_returns FOR EACH ROW EXECUTE FUNCTION note_return();

CREATE TRIGGER count_packages_on_insert AFTER INSERT ON packages REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_packages_on_insert();

CREATE TRIGGER count_packages_on_update AFTER UPDATE ON packages REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_packages_on_update();

CREATE TRIGGER note_change BEFORE UPDATE ON packages FOR EACH ROW EXECUTE FUNCTION note_change();

CREATE TRIGGER erase_key_pairs BEFORE UPDATE OF deleted_at ON webhook_endpoints FOR EACH ROW WHEN ((new.deleted_at IS NOT NULL)) EXECUTE FUNCTION erase_key_pairs();

CREATE TRIGGER owe_movements AFTER UPDATE OF disabled_at ON webhook_endpoints FOR EACH ROW WHEN (((old.disabled_at IS NULL) <> (new.disabled_at IS NULL))) EXECUTE FUNCTION owe_movements();
