import { sqlOf } from './migration.js';

const RESOLVED_ADDRESS = `
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

/** Orders with their stops and prices; packages with what happened to them. */
export const up = sqlOf(`
  create table rate_cards (
    version integer primary key,
    base_centavos integer not null check (base_centavos >= 0),
    per_km_centavos integer not null check (per_km_centavos >= 0),
    per_kg_centavos integer not null check (per_kg_centavos >= 0),
    per_extra_stop_centavos integer not null check (per_extra_stop_centavos >= 0),
    volumetric_cm3_per_kg integer not null check (volumetric_cm3_per_kg > 0),
    created_at timestamptz(3) not null default now()
  );
  insert into rate_cards values (1, 890, 120, 95, 350, 6000);

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
    foreign key (account_id, payment_method_id) references payment_methods (account_id, id)
  );
  create unique index orders_external_id_key on orders (account_id, external_id);
  create index orders_of_account on orders (account_id, created_at desc, id desc);
  create index orders_of_account_by_status on orders (account_id, status, created_at desc, id desc);
  create index orders_newest on orders (created_at desc, id desc);

  create table pickups (
    order_id uuid not null references orders,
    position smallint not null,
    ${RESOLVED_ADDRESS},
    primary key (order_id, position)
  );

  create table package_statuses (
    code smallint primary key check (code > 0),
    name text not null,
    description text not null,
    requirement text check (requirement in ('action_required', 'pickup_agency')),
    final boolean not null,
    stage text not null check (stage in ('created', 'processing', 'out_for_delivery', 'completed', 'cancelled')),
    check (final = (stage in ('completed', 'cancelled')))
  );
  insert into package_statuses (code, name, description, requirement, final, stage) values
    (1, 'Adicionado', 'Etiqueta criada, pronta para coleta.', null, false, 'created'),
    (2, 'Cancelado', 'O envio foi cancelado.', null, true, 'cancelled'),
    (3, 'Em processamento', 'Coletado, em processamento.', null, false, 'processing'),
    (5, 'Entregue', 'Recebido no endereço de entrega.', null, true, 'completed'),
    (6, 'Com problema', 'Parado; o remetente precisa agir.', 'action_required', false, 'processing'),
    (7, 'Devolução iniciada', 'A devolução ao remetente começou.', null, false, 'processing'),
    (8, 'Devolvido', 'Devolvido ao remetente.', null, true, 'completed'),
    (9, 'Extraviado', 'O pacote não foi localizado.', null, false, 'processing'),
    (10, 'Retirar nos correios', 'Disponível para retirada na agência dos correios.', 'pickup_agency', false, 'out_for_delivery'),
    (11, 'Saiu para entrega', 'A caminho do destinatário.', null, false, 'out_for_delivery'),
    (14, 'Coletado', 'Coletado no remetente.', null, false, 'processing'),
    (17, 'Chegou em uma base', 'Chegou em uma base de distribuição.', null, false, 'processing'),
    (18, 'Destinatário ausente', 'Ninguém recebeu; haverá nova tentativa.', null, false, 'out_for_delivery');

  create sequence package_number as bigint;
  create table packages (
    loggi_key uuid primary key,
    account_id uuid not null references accounts,
    order_id uuid not null references orders,
    position smallint not null,
    pickup_position smallint not null,
    tracking_code text not null unique,
    barcode text not null unique,
    recipient_name text not null,
    recipient_phone text not null,
    width double precision not null,
    height double precision not null,
    length double precision not null,
    weight double precision not null,
    items jsonb,
    ${RESOLVED_ADDRESS},
    promised_date date not null,
    seq integer not null,
    status_code smallint not null references package_statuses,
    status_since timestamptz not null,
    current_movement_id uuid not null,
    created_at timestamptz(3) not null default now(),
    unique (order_id, position),
    foreign key (order_id, pickup_position) references pickups (order_id, position)
  );
  create index packages_newest on packages (created_at desc, loggi_key desc);
  create index packages_of_account on packages (account_id, created_at desc, loggi_key desc);

  create table movements (
    id uuid primary key,
    loggi_key uuid not null references packages,
    seq integer not null,
    status_code smallint not null references package_statuses,
    happened_at timestamptz not null,
    recorded_at timestamptz not null default clock_timestamp(),
    city text,
    state text,
    reason_label text,
    reason_description text,
    agency_address text,
    agency_city text,
    agency_state text,
    agency_postal_code text,
    unique (loggi_key, seq)
  );
  create index movements_history on movements (loggi_key, happened_at desc, seq desc);
  alter table packages add foreign key (current_movement_id) references movements deferrable initially deferred;
`);
