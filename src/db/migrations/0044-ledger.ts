import { sql } from 'kysely';
import { type Migration, type Step, sqlOf } from './migration.js';

/**
 * Keeps what orders cost month by month (orders/statements/). A trigger enters each later change of an order's price,
 * so that release 1.9 enters it, too. An order as created needs no entry while its row is there.
 */
export const up: Migration['up'] = sqlOf(`
  create table ledger_entries (
    id uuid not null default gen_random_uuid(),
    account_id uuid not null,
    at timestamp(3) with time zone not null default now(),
    kind text not null default 'price_changed',
    order_id uuid not null,
    external_id text,
    loggi_key uuid,
    service text not null,
    payment_method_id integer not null,
    centavos bigint not null,
    constraint ledger_entries_pkey primary key (id),
    constraint ledger_entries_kind_check check (
      kind in ('order_created', 'return_created', 'package_cancelled', 'address_changed', 'price_changed'))
  );
  create index ledger_entries_by_time on ledger_entries (at, id);
  create index ledger_entries_of_account on ledger_entries (account_id, at, id);
  create index ledger_entries_of_order on ledger_entries (order_id);

  create table statements (
    account_id uuid not null,
    month date not null,
    line_count integer not null,
    total_centavos bigint not null,
    sums jsonb not null,
    sha256_pt text not null,
    sha256_en text not null,
    closed_at timestamp(3) with time zone not null default now(),
    constraint statements_pkey primary key (account_id, month)
  );
  create index statements_by_month on statements (month, account_id);

  create table closed_months (
    month date not null,
    closed_at timestamp(3) with time zone not null default now(),
    constraint closed_months_pkey primary key (month)
  );

  create function enter_price_change() returns trigger language plpgsql as $$
    begin
      insert into ledger_entries (account_id, order_id, external_id, service, payment_method_id, centavos)
      values (new.account_id, new.id, new.external_id, new.service, new.payment_method_id,
        new.total_centavos - old.total_centavos);
      return null;
    end $$;
  create trigger enter_price_change after update of total_centavos on orders
    for each row when (old.total_centavos <> new.total_centavos) execute function enter_price_change();
`);

const CHUNK = 2_000;

export const steps: readonly Step[] = [
  {
    // Changes since `up` have entries of the trigger. A cancellation before it left no trace of the price it changed.
    name: 'changes of address before the ledger',
    chunk: async (db, after) => {
      const { rows } = await sql<{ id: string }>`
        with chunk as materialized (
          select * from address_changes where id > ${after ?? '00000000-0000-0000-0000-000000000000'}::uuid
          order by id limit ${CHUNK}
        ), entered as (
          insert into ledger_entries
            (id, account_id, at, kind, order_id, external_id, loggi_key, service, payment_method_id, centavos)
          select change.id, o.account_id, change.created_at, 'address_changed', o.id, o.external_id, change.loggi_key,
            o.service, o.payment_method_id, change.new_total_centavos - change.previous_total_centavos
          from chunk change
          join lateral (select * from orders where id = change.order_id limit 1) o on true
          where change.new_total_centavos <> change.previous_total_centavos and not exists (
            select from ledger_entries known where known.order_id = change.order_id and known.at = change.created_at)
          on conflict do nothing
        )
        select id::text from chunk order by id desc limit 1`.execute(db);
      const [last] = rows;
      return last && { after: last.id, rows: CHUNK };
    },
  },
];
