import { sql } from 'kysely';
import type { Db } from '../../../src/db/connect.js';

export interface Bulk {
  orders: number;
  /** Over how many days until now they were created. */
  days: number;
}

/** The account that has a tenth of all orders; each other account has about a thousand. */
export const LARGEST = '00000000-0000-7000-8000-000000000001';

const BATCH = 500_000;

/** Orders of changing statuses at even distances in time, and 10 000 products of the largest account. */
export async function fill(db: Db, { orders, days }: Bulk): Promise<void> {
  const others = Math.max(1, Math.round((orders * 0.9) / 1000));
  await sql`
    with account as (
      insert into accounts (id, email, name, phone, role, password_hash)
      select ${accountId(sql`i`)}, 'user' || i || '@bench.test', 'Ana ' || i, '+5511999999999', 'customer', 'none'
      from generate_series(1, ${others + 1}::integer) i returning id)
    insert into payment_methods (account_id, kind, label) select id, 'invoice', 'Invoice' from account order by id`.execute(
    db,
  );
  await sql`
    insert into products (id, account_id, sku, name, description, price_centavos, width, height, length, weight)
    select uuidv7(), ${LARGEST}, 'SKU-' || i, 'Café ' || i, '', 3850, 12, 6, 20, 520 from generate_series(1, 10000) i`.execute(
    db,
  );
  // Foreign keys need no check here.
  await sql`set session_replication_role = replica`.execute(db);
  for (let made = 0; made < orders; made += BATCH) await addOrders(db, { orders, days }, others, made);
  await sql`reset session_replication_role`.execute(db);
}

const accountId = (number: ReturnType<typeof sql>) =>
  sql`('00000000-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;

/** Five of ten have ended, four are cancelled, and one is open. */
async function addOrders(db: Db, { orders, days }: Bulk, others: number, made: number): Promise<void> {
  const status = sql`
    case when mix < 5 then 'completed' when mix < 9 then 'cancelled'
      else (array['created', 'processing', 'out_for_delivery'])[1 + i % 3] end`;
  await sql`
    insert into orders (id, account_id, status, payment_method_id, rate_card_version, price_lines, total_centavos,
      distance_metres, distance_source, pickup_count, package_count, created_at, updated_at)
    select uuidv7(age), ${accountId(sql`account`)}, ${status}, account, 1,
      '[{"kind": "base", "quantity": 1, "unitPrice": 890, "amount": 890}]', 890, 5000, 'great_circle', 1, 1, now() + age, now() + age
    from generate_series(${made + 1}::integer, ${Math.min(made + BATCH, orders)}::integer) i,
      lateral (select
        case when i % 10 = 0 then 1 else 2 + i % ${others}::integer end as account,
        (hashint4(i) & 1023) % 10 as mix,
        -${days}::float8 * (1 - i / ${orders}::float8) * interval '1 day' as age) made`.execute(db);
}
