import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { NIL } from 'uuid';
import { inBackground } from '../../base/background.js';
import { DAY_MS } from '../../base/clock.js';
import type { Logger } from '../../base/telemetry/log.js';
import type { Db } from '../../db/connect.js';
import { isLockTimeout, isRetryable } from '../../db/errors.js';
import { oneRow, scalar } from '../../db/one-row.js';
import { daysAgo, partitionsOf } from '../../db/partitions/partitions.js';
import { orderFamily } from '../../db/partitions/tables.js';
import { orderStatuses } from '../../db/tables/database.js';
import { deleteKeysOf } from './keys.js';

export const keptReasons = ['orders that are not final', 'notifications that wait'] as const;
type KeptReason = (typeof keptReasons)[number];

/** Days after which orders are dropped, and days without a change after which an order counts as ended; 0: never. */
export interface Ages {
  days: number;
  lostAfterDays: number;
}

/** Suffixes of the dropped partitions: a month, or `first`. */
interface Dropped {
  dropped: string[];
  kept: Kept[];
}

export interface Kept {
  suffix: string;
  reason: KeptReason;
}

// Lock of the one process that works. Another process resumes interrupted work.
const lock = sql.lit('4190223348107702313');

const names = orderFamily.map(({ name }) => name);
const partition = (table: string, suffix: string) => sql.table(`${table}_${suffix}`);
const detachedName = (table: string, suffix: string) => `dropped_${table}_${suffix}`;

interface RetentionOptions {
  db: Db;
  log: Logger;
  ages: Ages;
  onKept?: (kept: readonly Kept[]) => void;
}

const PAUSE_MS = DAY_MS;
const PAUSE_AFTER_FAILURE_MS = 600_000;

/** Drops old orders now and once a day, in any number of processes. Call the returned function to stop. */
export const startRetention = ({ db, log, ages, onKept }: RetentionOptions): (() => Promise<void>) =>
  inBackground(async (signal) => {
    try {
      const { dropped, kept } = await dropOldOrders(db, ages, () => signal.aborted);
      onKept?.(kept);
      if (dropped.length > 0) log.info({ partitions: dropped }, 'retention.dropped');
      if (kept.length > 0) log.warn({ partitions: kept }, 'retention.kept');
      return PAUSE_MS;
    } catch (err) {
      log.error({ err }, 'retention.failed');
      return PAUSE_AFTER_FAILURE_MS;
    }
  });

/**
 * Drops orders older than `days` days, with all their rows, partition by partition. Other statements wait for at most
 * 50 ms; only changes of such old orders wait longer. `db` must have no statement timeout.
 */
export async function dropOldOrders(db: Db, ages: Ages, stopped = () => false): Promise<Dropped> {
  await removeDetached(db, stopped);
  const result: Dropped = { dropped: [], kept: [] };
  for (const suffix of await oldPartitions(db, ages.days)) {
    if (stopped()) break;
    const reason = await db.transaction().execute((trx) => detach(trx, suffix, ages));
    if (reason === 'busy') break;
    if (reason) result.kept.push({ suffix, reason });
    else result.dropped.push(suffix);
    await removeDetached(db, stopped);
  }
  return result;
}

/** Suffixes of partitions that all tables have, with the same end. The others wait until all tables have them. */
async function oldPartitions(db: Db, days: number): Promise<string[]> {
  // The clock for ids and the clock of the database may be a day apart.
  const before = await daysAgo(db, days + 1);
  const counts = new Map<string, number>();
  for (const table of orderFamily) {
    for (const { name, until } of await partitionsOf(db, table)) {
      const key = `${name.slice(table.name.length + 1)} ${until.toISOString()}`;
      if (until <= before) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const whole = [...counts].filter(([, count]) => count === orderFamily.length);
  return whole.map(([key]) => key.split(' ')[0] ?? '');
}

/** Detaches a month. Resolves to the reason if the month must stay. Locks the old rows first, which few others need. */
async function detach(trx: Db, old: string, ages: Ages): Promise<KeptReason | 'busy' | undefined> {
  if (!(await scalar(trx, sql<boolean>`pg_try_advisory_xact_lock(${lock})`))) return 'busy';
  const reason = await whyKept(trx, old, ages);
  if (reason) return reason;
  const partitions = sql.join(names.map((name) => partition(name, old)));
  await sql`lock table ${partitions} in share row exclusive mode`.execute(trx);
  const newReason = await whyKept(trx, old, ages);
  if (newReason) return newReason;
  await takeFromTallies(trx, partition('orders', old));
  await enterInLedger(trx, partition('orders', old));
  await untilLocked(trx, async () => {
    await sql`lock table only ${sql.join(names.map((name) => sql.table(name)))} in access exclusive mode`.execute(trx);
    for (const name of names) {
      const own = partition(name, old);
      await sql`alter table ${sql.table(name)} detach partition ${own}`.execute(trx);
      await sql`alter table ${own} rename to ${sql.table(detachedName(name, old))}`.execute(trx);
    }
  });
  return undefined;
}

/** Orders that have not ended. An order without a change for `lostAfterDays` days counts as ended. */
const underWay = (old: string, { lostAfterDays }: Ages) => sql`
  from ${partition('orders', old)} o
  where o.status not in ('completed', 'cancelled')
    and (${lostAfterDays} = 0 or o.updated_at >= now() - make_interval(days => ${lostAfterDays}))`;

async function whyKept(trx: Db, old: string, ages: Ages): Promise<KeptReason | undefined> {
  const reasons = sql<{ isOpen: boolean; waits: boolean }>`
    select
      exists (select ${underWay(old, ages)}) as "isOpen",
      exists (
        select from webhook_notifications waiting
        where exists (select from ${partition('packages', old)} p where p.loggi_key = waiting.loggi_key)) as waits`;
  const { isOpen, waits } = await oneRow(trx, reasons);
  if (isOpen) return 'orders that are not final';
  return waits ? 'notifications that wait' : undefined;
}

/** A month of old orders that is not dropped. */
export interface KeptMonth extends Kept {
  /** Count of the orders that have not ended, up to a thousand, and the id of one. */
  orders: number;
  example: string | null;
}

const MAX_COUNTED = 1_000;

/** Lists the months of old orders that are not dropped, with the reason. */
export async function keptMonths(db: Db, ages: Ages): Promise<KeptMonth[]> {
  const months: KeptMonth[] = [];
  for (const suffix of await oldPartitions(db, ages.days)) {
    const reason = await whyKept(db, suffix, ages);
    if (!reason) continue;
    const open = sql<{ orders: number; example: string | null }>`
      select count(*)::integer as orders, min(id::text) as example
      from (select o.id ${underWay(suffix, ages)} limit ${MAX_COUNTED}) counted`;
    months.push({ suffix, reason, ...(await oneRow(db, open)) });
  }
  return months;
}

const columns = [...orderStatuses, 'packages'];
const listed = (text: (column: string) => string, separator = ', ') => sql.raw(columns.map(text).join(separator));

const countOf = (column: string): string =>
  column === 'packages' ? 'sum(package_count)::integer' : `count(*) filter (where status = '${column}')::integer`;

/** Subtracts the orders of a table from the tallies, as their deletion would. Leaves one row per span. */
async function takeFromTallies(trx: Db, orders: RawBuilder<unknown>): Promise<void> {
  await sql`
    with gone as materialized (
      select scope, hours, date_bin(make_interval(hours => hours), created_at, timestamptz '1970-01-01Z') as starts_at,
        ${listed((column) => `${countOf(column)} as ${column}`)}
      from ${orders}, unnest(array[account_id, ${NIL}::uuid]) scope, unnest(array[1, 336]::smallint[]) hours
      group by 1, 2, 3
    ), removed as (
      delete from order_tallies tally using gone
      where (tally.scope, tally.hours, tally.starts_at) = (gone.scope, gone.hours, gone.starts_at)
      returning tally.*
    ), rest as (
      select scope, hours, starts_at, ${listed((column) => `sum(${column}) as ${column}`)}
      from (
        select scope, hours, starts_at, ${listed((column) => column)} from removed
        union all
        select scope, hours, starts_at, ${listed((column) => `-${column}`)} from gone) changes
      group by scope, hours, starts_at
    )
    insert into order_tallies as tally (scope, hours, starts_at, shard, ${listed((column) => column)})
    select scope, hours, starts_at, 0, ${listed((column) => column)} from rest
    where ${listed((column) => `${column} <> 0`, ' or ')}
    on conflict (scope, hours, starts_at, shard) do update set
      ${listed((column) => `${column} = tally.${column} + excluded.${column}`)}`.execute(trx);
}

/** Enters the first price of each order in the ledger, so statements keep its line when its row is gone. */
async function enterInLedger(trx: Db, orders: RawBuilder<unknown>): Promise<void> {
  await sql`
    insert into ledger_entries
      (id, account_id, at, kind, order_id, external_id, loggi_key, service, payment_method_id, centavos)
    select id, account_id, created_at, case when back.order_id is null then 'order_created' else 'return_created' end,
      id, external_id, back.loggi_key, service, payment_method_id, total_centavos - coalesce(changes.centavos, 0)
    from ${orders} gone
    left join package_returns back on back.order_id = gone.id
    left join (
      select order_id, sum(centavos)::bigint as centavos from ledger_entries
      where order_id in (select id from ${orders}) group by order_id) changes on changes.order_id = gone.id`.execute(
    trx,
  );
}

const ATTEMPTS = 200;

/** Runs the work again while others hold a lock. The transaction keeps its earlier changes. */
async function untilLocked(trx: Db, work: () => Promise<void>): Promise<void> {
  await sql`set local lock_timeout = '50ms'`.execute(trx);
  for (let left = ATTEMPTS; ; left -= 1) {
    await sql`savepoint attempt`.execute(trx);
    try {
      return await work();
    } catch (error) {
      if (left <= 1 || !(isLockTimeout(error) || isRetryable(error))) throw error;
      await sql`rollback to savepoint attempt`.execute(trx);
      await sleep(200 + Math.random() * 600);
    }
  }
}

/** Deletes the keys of detached tables, and then the tables. Includes tables that an earlier run left. */
async function removeDetached(db: Db, stopped: () => boolean): Promise<void> {
  const { rows } = await sql<{ table: string; suffix: string }>`
    select name as table, substr(relname, length(name) + 10) as suffix
    from pg_class join unnest(${names}::text[]) name on relname like 'dropped\\_' || name || '\\_%'
    where relkind = 'r' and relnamespace = 'public'::regnamespace`.execute(db);
  for (const { table, suffix } of rows) {
    const detached = detachedName(table, suffix);
    if (!(await deleteKeysOf(db, { table, detached }, stopped))) return;
    await db.transaction().execute((trx) =>
      untilLocked(trx, async () => {
        await sql`drop table if exists ${sql.table(detached)}`.execute(trx);
      }),
    );
  }
}
