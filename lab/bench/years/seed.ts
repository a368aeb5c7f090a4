import { sql } from 'kysely';
import { createLog } from '../../../src/base/telemetry/log.js';
import type { Db } from '../../../src/db/connect.js';
import { migrate } from '../../../src/db/migrations/migrate.js';
import { keyAt } from '../../../src/db/partitions/periods.js';
import { orderFamily } from '../../../src/db/partitions/tables.js';
import { type Load, tallyOrders, timed } from '../lists/stage.js';

/** Seeds orders at even intervals over whole months until now. Each order has two packages with so many movements. */
export interface Years {
  orders: number;
  months: number;
  movements: number;
}

const STOP = `'Rua XV de Novembro, 1', null, null, -23.5, -46.6, 'city', 'Campinas', 'SP', null, null, 0, now(), 0`;

/** Each account has about a thousand orders, and the first account a tenth of all. */
export const seeding =
  ({ orders, months, movements }: Years): Load =>
  async (db, url) => {
    await migrate(url, createLog({ level: 'error' }));
    await sql`create extension pg_stat_statements`.execute(db);
    const accounts = Math.max(2, Math.round(orders / 1000));
    await sql`
      with account as (
        insert into accounts (id, email, name, phone, role, password_hash)
        select ${accountId(sql`i`)}, 'user' || i || '@bench.test', 'Ana ' || i, '+5511999999999', 'customer', 'none'
        from generate_series(1, ${accounts}::integer) i returning id)
      insert into payment_methods (account_id, kind, label) select id, 'invoice', 'Invoice' from account order by id`.execute(
      db,
    );
    // Dropped, because the first partition would take all rows of earlier months.
    for (const { name } of orderFamily) await sql`drop table ${sql.table(`${name}_first`)}`.execute(db);
    const perMonth = Math.round(orders / months);
    await timed(`${orders} orders, ${2 * orders * movements} movements, ${months} months`, async () => {
      for (let month = 0; month < months; month += 1)
        await db
          .transaction()
          .execute((trx) =>
            seedMonth(trx, { first: month * perMonth, count: perMonth, ago: months - 1 - month, accounts, movements }),
          );
    });
    await timed('their tallies and keys', () => db.transaction().execute(derive));
    await sql`vacuum analyze`.execute(db);
  };

const accountId = (number: ReturnType<typeof sql>) =>
  sql`('00000000-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;

interface Month {
  first: number;
  count: number;
  /** Months between this month and the present one. */
  ago: number;
  accounts: number;
  movements: number;
}

/**
 * Loads partitions as separate tables, and builds their indexes when they are attached. Rows are not logged in the
 * transaction that made their table.
 */
async function seedMonth(db: Db, { first, count, ago, accounts, movements }: Month): Promise<void> {
  const now = new Date();
  const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago));
  const until = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago + 1));
  const step = (Math.min(until.getTime(), now.getTime()) - from.getTime()) / count;
  const table = (name: string) => (ago === 0 ? sql.table(name) : sql.table(`${name}_ago_${ago}`));
  if (ago > 0) {
    for (const { name } of orderFamily)
      await sql`create table ${table(name)} (like ${sql.table(name)} including defaults including constraints)`.execute(
        db,
      );
  }
  const made = sql`
    generate_series(${first}::bigint, ${first + count - 1}::bigint) i,
      lateral (select ${from.getTime()}::bigint + ((i - ${first}) * ${step}::float8)::bigint as ms,
        case when i % 10 = 0 then 1 else 2 + (i / 10 % ${accounts - 1}::bigint) end as account) made,
      lateral (select to_timestamp(ms / 1000.0) as at) time`;
  const id = (kind: number, number: ReturnType<typeof sql>) =>
    sql`(lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(${sql.lit(kind)} + ${number}), 3, '0') || '8' || lpad(to_hex(i), 15, '0'))::uuid`;
  const order = id(0, sql`0`);
  const run = async (text: ReturnType<typeof sql>) => void (await text.execute(db));
  await run(sql`
    insert into ${table('orders')} (id, account_id, external_id, status, payment_method_id, rate_card_version, price_lines, total_centavos,
      distance_metres, distance_source, pickup_count, package_count, created_at, updated_at)
    select ${order}, ${accountId(sql`account`)}, 'order ' || i, ${ago === 0 ? 'processing' : 'completed'}, account, 1,
      '[{"kind": "base", "quantity": 1, "unitPrice": 890, "amount": 890}]', 890, 5000, 'great_circle', 1, 2, at, at from ${made}`);
  await run(sql`insert into ${table('pickups')} select ${order}, 0, ${sql.raw(STOP)} from ${made}`);
  await run(sql`
    insert into ${table('packages')} (loggi_key, account_id, order_id, position, pickup_position, tracking_code, barcode,
      recipient_name, recipient_phone, width, height, length, weight, address, complement, instructions, latitude,
      longitude, precision, city, state, district, postal_code, waypoint_index, eta, leg_metres, promised_date, seq,
      status_code, status_since, current_movement_id, created_at)
    select ${id(16, sql`p`)}, ${accountId(sql`account`)}, ${order}, p, 0, 'T' || (2 * i + p), 'B' || (2 * i + p),
      'Bruno', '+5511999999999', 10, 10, 10, 500, ${sql.raw(STOP)}, at::date, ${movements}, ${ago === 0 ? 3 : 5}, at,
      ${id(256, sql`p * 64 + ${movements}::integer`)}, at
    from ${made}, generate_series(0, 1) p`);
  await run(sql`
    insert into ${table('movements')} (id, loggi_key, seq, status_code, happened_at, city, state)
    select ${id(256, sql`p * 64 + seq`)}, ${id(16, sql`p`)}, seq, case when seq = 1 then 1 else 3 end,
      at + seq * interval '1 minute', 'Campinas', 'SP'
    from ${made}, generate_series(0, 1) p, generate_series(1, ${movements}::integer) seq`);
  if (ago === 0) return;
  for (const { name, kind } of orderFamily) {
    const [low, high] = [sql.lit(keyAt(kind, from)), sql.lit(keyAt(kind, until))];
    await sql`alter table ${sql.table(name)} attach partition ${table(name)} for values from (${low}) to (${high})`.execute(
      db,
    );
  }
}

/** Writes the rows that triggers and statements of the service would write. */
async function derive(db: Db): Promise<void> {
  // Rows are not logged in the transaction that emptied their table.
  await sql`truncate order_tallies, order_external_ids, package_codes, movement_keys`.execute(db);
  await tallyOrders(db);
  await sql`
    insert into order_external_ids select account_id, external_id, id from orders order by account_id, external_id`.execute(
    db,
  );
  await sql`insert into package_codes select tracking_code, barcode, loggi_key from packages`.execute(db);
  await sql`insert into movement_keys select id, loggi_key from movements where seq > 1`.execute(db);
}
