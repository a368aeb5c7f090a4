import { RESOLVED_ADDRESS } from './orders.js';

/** Packages with what happened to them: movements, proofs, answers of shippers, changes of address, returns. */
export const packages = `
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
    ${RESOLVED_ADDRESS},
    promised_date date not null,
    seq integer not null,
    status_code smallint not null references package_statuses,
    status_since timestamptz not null,
    current_movement_id uuid not null,
    created_at timestamptz(3) not null default now(),
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
    constraint packages_order_id_position_key unique (order_id, position, loggi_key)
  ) partition by range (loggi_key);
  create index packages_newest on packages (created_at desc, loggi_key desc);
  create index packages_of_account on packages (account_id, created_at desc, loggi_key desc);
  create index packages_changed on packages (account_id, changed, loggi_key);
  create trigger note_change before update on packages for each row execute function note_change();

  create table package_codes (
    tracking_code text primary key,
    barcode text not null unique,
    loggi_key uuid not null
  );

  create table movements (
    id uuid not null,
    loggi_key uuid not null,
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
    reported_at timestamptz,
    primary key (loggi_key, id),
    unique (loggi_key, seq)
  ) partition by range (loggi_key);
  create index movements_history on movements (loggi_key, happened_at desc, seq desc);

  create table movement_keys (id uuid primary key, loggi_key uuid not null);

  -- Sealed by the key of the package. Erasure leaves an empty row, so that a movement reported again is known.
  create table delivery_proofs (
    loggi_key uuid primary key,
    order_id uuid not null,
    movement_id uuid not null,
    facts bytea
  );
  create index delivery_proofs_of_order on delivery_proofs (order_id);
  create table delivery_pictures (
    loggi_key uuid not null,
    kind text not null check (kind in ('photo', 'signature')),
    order_id uuid not null,
    media_type text not null,
    size integer not null,
    sealed bytea not null,
    sent_hash bytea,
    primary key (loggi_key, kind)
  );
  create index delivery_pictures_of_order on delivery_pictures (order_id);
  -- Sealed bytes cannot be compressed.
  alter table delivery_pictures alter column sealed set storage external;
  create table delivery_pins (
    loggi_key uuid primary key,
    order_id uuid not null,
    pin bytea not null,
    wrong_tries smallint not null default 0,
    confirmed_at timestamptz(3),
    overridden_at timestamptz(3),
    override_reason text,
    check ((overridden_at is null) = (override_reason is null))
  );
  create index delivery_pins_of_order on delivery_pins (order_id);
  create function erase_proofs() returns trigger language plpgsql as $$
    begin
      update delivery_proofs set facts = null where order_id = new.id;
      delete from delivery_pictures where order_id = new.id;
      delete from delivery_pins where order_id = new.id;
      return null;
    end $$;
  create trigger erase_proofs after update of recipients_erased_at on orders
  for each row when (new.recipients_erased_at is not null) execute function erase_proofs();
  create function erase_documents() returns trigger language plpgsql as $$
    begin
      update packages set recipient_tax_id = null, fiscal_key = null, fiscal_reason = null
      where order_id = new.id and num_nonnulls(recipient_tax_id, fiscal_key, fiscal_reason) > 0;
      return null;
    end $$;
  create trigger erase_documents after update of recipients_erased_at on orders
  for each row when (new.recipients_erased_at is not null) execute function erase_documents();

  -- Answers, changes of address and returns are of few packages, so their tables are plain; src/orders/retention
  -- removes the rows of orders that go.
  create table package_answers (
    id uuid primary key,
    loggi_key uuid not null,
    order_id uuid not null,
    account_id uuid not null references accounts,
    phone text,
    address text,
    complement text,
    instructions text,
    note text,
    applied text[] not null,
    created_at timestamptz(3) not null default now(),
    completed_at timestamptz(3),
    completed_by uuid,
    completion_note text,
    check ((completed_at is null) = (completed_by is null))
  );
  create index package_answers_of_package on package_answers (loggi_key, created_at desc, id desc);
  create index package_answers_of_order on package_answers (order_id);
  create index package_answers_newest on package_answers (created_at desc, id desc);
  create index package_answers_open on package_answers (created_at, id) where completed_at is null;
  create table address_changes (
    id uuid primary key,
    loggi_key uuid not null,
    order_id uuid not null,
    account_id uuid not null references accounts,
    changed_by uuid not null,
    from_address text not null,
    from_complement text,
    to_address text not null,
    to_complement text,
    previous_lines jsonb,
    previous_total_centavos bigint,
    previous_rate_card_version integer,
    new_total_centavos bigint,
    created_at timestamptz(3) not null default now(),
    check (num_nulls(previous_lines, previous_total_centavos, previous_rate_card_version, new_total_centavos) in (0, 4))
  );
  create index address_changes_of_package on address_changes (loggi_key, created_at desc, id desc);
  create index address_changes_of_order on address_changes (order_id);
  create table package_returns (
    order_id uuid primary key,
    loggi_key uuid not null
  );
  create index package_returns_of_package on package_returns (loggi_key, order_id desc);
  -- A package shows the order that takes it back.
  create function note_return() returns trigger language plpgsql as $$
    begin
      update packages set changed = default where loggi_key = new.loggi_key;
      return null;
    end $$;
  create trigger note_return after insert on package_returns for each row execute function note_return();
`;
