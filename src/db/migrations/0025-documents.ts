import { sqlOf } from './migration.js';

/**
 * Tax ids of accounts and recipients, and fiscal documents of packages. Triggers erase them when a process of an
 * earlier release erases the person, and free the fiscal keys of an order that ends, whoever ends it.
 */
export const up = sqlOf(`
  alter table accounts add column tax_id text, add column fiscal_rule text;
  alter table packages
    add column recipient_tax_id text,
    add column fiscal_kind text,
    add column fiscal_key text,
    add column fiscal_reason text;
  create function erase_tax_id() returns trigger language plpgsql as $$
    begin
      new.tax_id := null;
      return new;
    end $$;
  create trigger erase_tax_id before update of erased_at on accounts
  for each row when (new.erased_at is not null) execute function erase_tax_id();
  create function erase_documents() returns trigger language plpgsql as $$
    begin
      update packages set recipient_tax_id = null, fiscal_key = null, fiscal_reason = null
      where order_id = new.id and num_nonnulls(recipient_tax_id, fiscal_key, fiscal_reason) > 0;
      return null;
    end $$;
  create trigger erase_documents after update of recipients_erased_at on orders
  for each row when (new.recipients_erased_at is not null) execute function erase_documents();
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
`);
