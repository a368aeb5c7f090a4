import { sql } from 'kysely';
import { NIL } from 'uuid';
import { createLog } from '../../../src/base/telemetry/log.js';
import { connect, type Db } from '../../../src/db/connect.js';
import { migrate } from '../../../src/db/migrations/migrate.js';
import { inDatabase } from '../../../test/support/database.js';
import { startPostgres } from '../../../test/support/postgres.js';

const log = createLog({ level: 'error' });

/** Settings without durability: no data outlives the run, and loading is not measured. */
export const hasty = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '4GB',
  shared_buffers: '1GB',
  work_mem: '256MB',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
};

/** Makes all tables, the extension pg_stat_statements and the rows in an empty database. */
export type Load = (db: Db, url: string) => Promise<void>;

export interface Stage {
  /** A new loaded database, and a pool with so many connections. */
  database(name: string, load: Load, poolSize?: number): Promise<Db>;
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const { url, stop } = await startPostgres({ settings: hasty });
  const opened: Db[] = [];
  const open = (address: string, poolSize: number, statementTimeoutMs: number) => {
    const limits = { statementTimeoutMs, lockTimeoutMs: statementTimeoutMs, connectionTimeoutMs: 60_000 };
    const db = connect({ url: address, poolSize, applicationName: 'malote bench', log, ...limits });
    opened.push(db);
    return db;
  };
  const database = async (name: string, load: Load, poolSize = 1) => {
    await sql`create database ${sql.ref(name)}`.execute(open(url, 1, 0));
    const address = inDatabase(url, name);
    const loading = open(address, 1, 0);
    await load(loading, address);
    return open(address, poolSize, 60_000);
  };
  const close = async () => {
    await Promise.all(opened.map((db) => db.destroy()));
    await stop();
  };
  return { database, close };
}

/** Orders are inserted before their tallies, because one statement counts them faster than triggers do. */
export const loadOf =
  (bulk: Bulk): Load =>
  async (db, url) => {
    await migrate(url, log);
    await timed(`${bulk.orders} orders`, () => fill(db, bulk));
    await timed('their tallies', () => tallyOrders(db));
    await sql`create extension pg_stat_statements`.execute(db);
    await sql`vacuum analyze`.execute(db);
  };

const statuses = ['created', 'processing', 'out_for_delivery', 'completed', 'cancelled'];
const counts = statuses.map((status) => sql`count(*) filter (where status = ${sql.lit(status)})`);

/** Counts all orders, with the same result as the triggers. */
export async function tallyOrders(db: Db): Promise<void> {
  await sql`
    insert into order_tallies (
      scope, hours, starts_at, shard, ${sql.join(statuses.map((status) => sql.ref(status)))}, packages)
    select scope, hours, date_bin(make_interval(hours => hours), created_at, timestamptz '1970-01-01Z'), 0,
      ${sql.join(counts)}, sum(package_count)
    from orders, unnest(array[account_id, ${NIL}::uuid]) scope, unnest(array[1, 336]) hours group by 1, 2, 3`.execute(
    db,
  );
}

export async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const started = performance.now();
  await work();
  console.log(`${what}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

interface Bulk {
  orders: number;
  /** The number of days until now in which the orders were created. */
  days: number;
}

/** The account with a tenth of all orders. Every other account has about a thousand. */
export const LARGEST = '00000000-0000-7000-8000-000000000001';

const BATCH = 500_000;

/** Orders with different statuses at even intervals, and 10 000 products of the largest account. */
async function fill(db: Db, { orders, days }: Bulk): Promise<void> {
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
  // Skips the checks of foreign keys.
  await sql`set session_replication_role = replica`.execute(db);
  for (let first = 1; first <= orders; first += BATCH) await addOrders(db, { orders, days }, others, first);
  await sql`reset session_replication_role`.execute(db);
}

const accountId = (number: ReturnType<typeof sql>) =>
  sql`('00000000-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;

/** Of ten orders five have ended, four are cancelled, and one is open. */
async function addOrders(db: Db, { orders, days }: Bulk, others: number, first: number): Promise<void> {
  const status = sql`
    case when mix < 5 then 'completed' when mix < 9 then 'cancelled'
      else (array['created', 'processing', 'out_for_delivery'])[1 + i % 3] end`;
  await sql`
    insert into orders (id, account_id, status, payment_method_id, rate_card_version, price_lines, total_centavos,
      distance_metres, distance_source, pickup_count, package_count, created_at, updated_at)
    select uuidv7(age), ${accountId(sql`account`)}, ${status}, account, 1,
      '[{"kind": "base", "quantity": 1, "unitPrice": 890, "amount": 890}]', 890, 5000, 'great_circle', 1, 1, now() + age, now() + age
    from generate_series(${first}::integer, ${Math.min(first + BATCH - 1, orders)}::integer) i,
      lateral (select
        case when i % 10 = 0 then 1 else 2 + i % ${others}::integer end as account,
        (hashint4(i) & 1023) % 10 as mix,
        -${days}::float8 * (1 - i / ${orders}::float8) * interval '1 day' as age) made`.execute(db);
}
