import { sqlOf } from './migration.js';

/**
 * Proofs of hand-overs and PINs, sealed by the key of the package. Whoever erases an order's recipients, also an
 * earlier version, erases these; an empty row of `delivery_proofs` stays, so that a movement reported again is known.
 */
export const up = sqlOf(`
  create table delivery_proofs (
    loggi_key uuid primary key,
    order_id uuid not null,
    movement_id uuid not null,
    facts bytea
  );
  create table delivery_pictures (
    loggi_key uuid not null,
    kind text not null check (kind in ('photo', 'signature')),
    order_id uuid not null,
    media_type text not null,
    size integer not null,
    sealed bytea not null,
    primary key (loggi_key, kind)
  );
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
  create index delivery_proofs_of_order on delivery_proofs (order_id);
  create index delivery_pictures_of_order on delivery_pictures (order_id);
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
`);
