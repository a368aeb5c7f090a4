import { partitionedIndexSteps, type Step, sqlOf } from './migration.js';

/** Few packages have a reference, and few orders metadata: indexes of these alone cost the others nothing. */
const indexes = [
  ['packages_by_reference', 'packages', '(reference, account_id) where reference is not null'],
  ['orders_by_metadata', 'orders', 'using gin (order_metadata_terms(account_id, metadata)) where metadata is not null'],
] as const;

/**
 * The account's own names and facts: the reference of a package, the sender of a pickup, the metadata of an order. A
 * term of metadata is a number of account, key and value, so that a look-up reads no orders of other accounts. The
 * trigger erases for a process of an earlier release, which does not know the columns.
 */
export const up = sqlOf(`
  alter table orders add column metadata jsonb;
  alter table pickups add column sender_name text, add column sender_phone text;
  alter table packages add column reference text;
  create function order_metadata_terms(account_id uuid, metadata jsonb) returns bigint[]
    language sql immutable parallel safe
    return (
      select array_agg(hashtextextended(account_id::text || ' ' || key || ' ' || value, 0))
      from jsonb_each_text(metadata) fact(key, value)
    );
  create function erase_names() returns trigger language plpgsql as $$
    begin
      new.metadata := null;
      update pickups set sender_name = null, sender_phone = null
      where order_id = new.id and num_nonnulls(sender_name, sender_phone) > 0;
      return new;
    end $$;
  create trigger erase_names before update of recipients_erased_at on orders for each row
    when (new.recipients_erased_at is not null) execute function erase_names();
  ${indexes.map(([index, table, columns]) => `create index ${index} on only ${table} ${columns};`).join('\n  ')}
`);

export const steps: readonly Step[] = indexes.flatMap(([index, table, columns]) =>
  partitionedIndexSteps(index, table, columns),
);
