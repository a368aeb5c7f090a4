export const RESOLVED_ADDRESS = `
    address text not null,
    complement text,
    instructions text,
    latitude double precision not null,
    longitude double precision not null,
    precision text not null check (precision in ('rooftop', 'street', 'postal_code', 'district', 'city')),
    city text not null,
    state text not null,
    district text,
    postal_code text,
    waypoint_index smallint not null,
    eta timestamptz(3) not null,
    leg_metres integer not null check (leg_metres >= 0)`;

/** Orders with their pickups, prices and documents. */
export const orders = `
  create table rate_cards (
    version integer primary key,
    base_centavos integer not null check (base_centavos >= 0),
    per_km_centavos integer not null check (per_km_centavos >= 0),
    per_kg_centavos integer not null check (per_kg_centavos >= 0),
    per_extra_stop_centavos integer not null check (per_extra_stop_centavos >= 0),
    volumetric_cm3_per_kg integer not null check (volumetric_cm3_per_kg > 0),
    created_at timestamptz(3) not null default now(),
    urban_km integer,
    zones jsonb,
    ad_valorem jsonb
  );

  create table orders (
    id uuid primary key,
    account_id uuid not null references accounts,
    external_id text,
    status text not null check (status in ('created', 'processing', 'out_for_delivery', 'completed', 'cancelled')),
    payment_method_id integer not null,
    rate_card_version integer not null references rate_cards,
    price_lines jsonb not null,
    total_centavos bigint not null check (total_centavos >= 0),
    distance_metres integer not null,
    distance_source text not null check (distance_source in ('great_circle', 'osrm')),
    pickup_count smallint not null,
    package_count smallint not null,
    version integer not null default 1,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    recipients_erased_at timestamptz(3),
    service text not null default 'express',
    changed xid8 not null default pg_current_xact_id(),
    foreign key (account_id, payment_method_id) references payment_methods (account_id, id)
  ) partition by range (id);
  create index orders_of_account on orders (account_id, created_at desc, id desc);
  create index orders_of_account_by_status on orders (account_id, status, created_at desc, id desc);
  create index orders_newest on orders (created_at desc, id desc);
  create index orders_by_status on orders (status, created_at desc, id desc);
  create index orders_changed on orders (account_id, changed, id);
  create function note_change() returns trigger language plpgsql as $$
    begin
      new.changed := pg_current_xact_id();
      return new;
    end $$;
  create trigger note_change before update on orders for each row execute function note_change();

  create table order_external_ids (
    account_id uuid not null,
    external_id text not null,
    order_id uuid not null,
    primary key (account_id, external_id)
  );

  create table pickups (
    order_id uuid not null,
    position smallint not null,
    ${RESOLVED_ADDRESS},
    accuracy_metres integer,
    primary key (order_id, position)
  ) partition by range (order_id);

  -- A key stands on one order, and on the returns of its packages.
  create table fiscal_keys (
    account_id uuid,
    key text,
    order_ids uuid[] not null,
    primary key (account_id, key)
  );
  create index fiscal_keys_of_order on fiscal_keys using gin (order_ids);
  create function free_fiscal_keys() returns trigger language plpgsql as $$
    begin
      delete from fiscal_keys where order_ids @> array[new.id] and cardinality(order_ids) = 1;
      update fiscal_keys set order_ids = array_remove(order_ids, new.id) where order_ids @> array[new.id];
      return null;
    end $$;
  create trigger free_fiscal_keys after update of status on orders
  for each row when (new.status in ('completed', 'cancelled')) execute function free_fiscal_keys();
`;
