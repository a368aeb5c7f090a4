import { sql } from 'kysely';
import { inBackground } from '../../base/background.js';
import { createLog, type Logger } from '../../base/log.js';
import { connect, type Db } from '../connect.js';
import { isLockTimeout } from '../errors.js';
import { indexStep } from '../migrations/migration.js';
import { scalar } from '../one-row.js';
import { patiently } from '../transaction.js';
import { copyKeys, type TellPartitioning, useKeys } from './order-keys.js';
import { daysAgo, makePartitions, partitionsOf } from './partitions.js';
import { keyAt, periodAt, timeOfKey } from './periods.js';
import { dropPointers, preparedIndex, replace } from './replace.js';
import { orderFamily, type PartitionedTable, partitionedTables } from './tables.js';

/** Work on a large table may be long until rows come that the plain table must not take. */
const GRACE_MS = 7 * 86_400_000;

/** Everybody else queues behind a lock that is waited for; they wait for half a second until they give up. */
const LOCK_TIMEOUT_MS = 100;

// One conversion at a time; `makePartitions` goes on beside it.
const lock = sql.lit('4190223348107702312');

/** Thrown before anything is changed, or after a part of it; the message says what to do. */
export class PartitioningError extends Error {
  override name: string = 'PartitioningError';
}

/** Others used the tables at each of the many moments at which it was tried to replace them. */
export class BusyError extends PartitioningError {
  override name = 'BusyError';
}

/**
 * Turns plain tables of a running service into partitioned ones: the plain table becomes the first partition. Nobody
 * waits longer than a second; cut off, it goes on where it was. The database must be reached without a pooler. Throws
 * PartitioningError, also while a process before 1.3 is connected, whose statements need plain tables' indexes.
 */
export async function convertTables(url: string, tell: TellPartitioning = () => undefined): Promise<void> {
  const log = createLog({ level: 'silent' });
  const limits = { statementTimeoutMs: 0, lockTimeoutMs: LOCK_TIMEOUT_MS, connectionTimeoutMs: 10_000 };
  const db = connect({ url, poolSize: 1, applicationName: 'malote partition', log, prepared: false, ...limits });
  try {
    await db.connection().execute(async (sole) => {
      if (!(await scalar(sole, sql<boolean>`pg_try_advisory_lock(${lock})`))) {
        throw new PartitioningError('Another process is partitioning the tables.');
      }
      await demandNoOlder(sole);
      for (const table of partitionedTables) if (!orderFamily.includes(table)) await convert(sole, [table], tell);
      await copyKeys(sole, tell);
      await convert(sole, orderFamily, tell, useKeys);
    });
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new BusyError('Others use the tables all the time: run this again, best when there is less to do.');
  } finally {
    await db.destroy();
  }
}

async function demandNoOlder(db: Db): Promise<void> {
  const connections = sql<number>`(
    select count(*)::integer from pg_stat_activity where datname = current_database() and application_name = 'malote')`;
  const older = await scalar(db, connections);
  if (older === 0) return;
  throw new PartitioningError(
    `${older} connections are of a version before 1.3, which cannot use partitioned tables: replace its processes, then run this again.`,
  );
}

/** Tables that belong together are replaced in one transaction, which `also` is a part of. */
async function convert(
  db: Db,
  tables: readonly PartitionedTable[],
  tell: TellPartitioning,
  also?: (trx: Db) => Promise<void>,
): Promise<void> {
  const [first] = tables;
  if (!first || (await partitionsOf(db, first))) return;
  const boundaries: Date[] = [];
  for (const table of tables) boundaries.push(await prepare(db, table, tell));
  const names = tables.map(({ name }) => name);
  await patiently(() =>
    db.transaction().execute(async (trx) => {
      await demandNoOlder(trx);
      await lockAll(trx, names);
      for (const [at, table] of tables.entries()) {
        const boundary = await boundOf(trx, table);
        if (!boundary || boundary.getTime() !== boundaries[at]?.getTime())
          throw new PartitioningError('It took too long: run it again.');
        await replace(trx, table, boundary);
      }
      await also?.(trx);
    }),
  );
  await makePartitions(db, tables);
  for (const table of names) {
    await sql`analyze ${sql.table(table)}`.execute(db);
    tell({ table, step: 'partitioned' });
  }
}

/**
 * Locks the tables and those they refer to, all at once: PostgreSQL locks these last, to remove keys' triggers.
 * Model: Partitions!LockTables (lab/models)
 */
async function lockAll(trx: Db, names: readonly string[]): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select distinct confrelid::regclass::text as name from pg_constraint
    where contype = 'f' and conrelid = any(${names}::regclass[]) order by name`.execute(trx);
  const all = new Set([...rows.map(({ name }) => name), ...names]);
  await sql`lock table ${sql.join([...all].map((name) => sql.table(name)))} in access exclusive mode`.execute(trx);
}

/** All that takes long, and that nobody waits for; resolves to the time that all rows are older than. */
async function prepare(db: Db, table: PartitionedTable, tell: TellPartitioning): Promise<Date> {
  const { name } = table;
  tell({ table: name, step: 'reading once' });
  await patiently(() => dropPointers(db, name));
  const boundary = await bound(db, table);
  await withoutLockTimeout(db, () =>
    sql`alter table ${sql.table(name)} validate constraint ${boundaryOf(table)}`.execute(db),
  );
  for (const [constraint, columns] of Object.entries(table.unique ?? {})) {
    tell({ table: name, step: 'building an index' });
    const { run } = indexStep(preparedIndex(constraint), `on ${name} (${columns.join(', ')})`, { unique: true });
    await withoutLockTimeout(db, () => run(db));
  }
  return boundary;
}

/** Partitions tables of a database that nobody has used yet, in a migration's transaction; of others none. */
export async function partitionFresh(
  trx: Db,
  tables: readonly PartitionedTable[],
  also?: (trx: Db) => Promise<void>,
): Promise<void> {
  if (await scalar(trx, sql<boolean>`exists (select from accounts)`)) return;
  const now = await daysAgo(trx, 0);
  for (const table of tables) await replace(trx, table, periodAt(table.width, now).from);
  await also?.(trx);
  await makePartitions(trx, tables);
}

const boundaryOf = ({ name }: PartitionedTable) => sql.ref(`${name}_boundary`);

/**
 * Makes sure that all rows are older than a time, perhaps that of an earlier attempt; resolves to it.
 * Model: Partitions!Bound (lab/models)
 */
async function bound(db: Db, table: PartitionedTable): Promise<Date> {
  const present = await boundOf(db, table);
  const now = await daysAgo(db, 0);
  if (present && present.getTime() > now.getTime() + GRACE_MS / 2) return present;
  const boundary = periodAt(table.width, new Date(now.getTime() + GRACE_MS)).until;
  const [name, key] = [sql.table(table.name), sql.ref(table.key)];
  await patiently(() =>
    sql`alter table ${name} drop constraint if exists ${boundaryOf(table)}, add constraint ${boundaryOf(table)}
      check (${key} < ${sql.lit(keyAt(table.kind, boundary))}) not valid`.execute(db),
  );
  return boundary;
}

async function boundOf(db: Db, { name, kind }: PartitionedTable): Promise<Date | undefined> {
  const { rows } = await sql<{ key: string }>`
    select substring(pg_get_constraintdef(oid) from '''(.*)''') as key from pg_constraint
    where conrelid = ${name}::regclass and conname = ${`${name}_boundary`}`.execute(db);
  return rows[0] && timeOfKey(kind, rows[0].key);
}

/**
 * Lets a plain table take any row again where a conversion was left, so that nobody is refused at the boundary.
 * Model: Partitions!DropStale (lab/models)
 */
export async function dropStaleBoundaries(db: Db): Promise<void> {
  for (const table of partitionedTables) {
    const boundary = (await partitionsOf(db, table)) ? undefined : await boundOf(db, table);
    if (!boundary || boundary.getTime() > (await daysAgo(db, 0)).getTime() + GRACE_MS / 2) continue;
    await sql`alter table ${sql.table(table.name)} drop constraint if exists ${boundaryOf(table)}`.execute(db);
  }
}

/** Reads may wait for others: no request waits for a read. */
async function withoutLockTimeout(db: Db, work: () => Promise<unknown>): Promise<void> {
  await sql`set lock_timeout = 0`.execute(db);
  await work();
  await sql`set lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(db);
}

const PAUSE_MS = 3_600_000;
const PAUSE_AFTER_FAILURE_MS = 60_000;

/** Makes missing partitions, now and every hour. There are enough for days, so a failure is only logged. */
export async function keepPartitions(db: Db, log: Logger): Promise<() => Promise<void>> {
  const round = () =>
    tend(db, log).then(
      () => PAUSE_MS,
      (err) => {
        log.error({ err }, 'cannot make partitions');
        return PAUSE_AFTER_FAILURE_MS;
      },
    );
  return inBackground(round, await round());
}

async function tend(db: Db, log: Logger): Promise<void> {
  const made = await makePartitions(db);
  if (made.length > 0) log.info({ partitions: made }, 'made partitions');
  await dropStaleBoundaries(db);
}
