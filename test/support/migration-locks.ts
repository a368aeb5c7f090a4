import { type QueryExecutorProvider, sql } from 'kysely';
import type { Migration, Step } from '../../src/db/migrations/migration.js';
import type { TestDatabase } from './database.js';

/**
 * Finds migrations that would keep others waiting on large tables. It watches PostgreSQL while they are applied to
 * tables that are empty or hold a hundred rows.
 */

// These tables have only a few rows in any service.
const SMALL_TABLES = new Set(['package_statuses', 'rate_cards', 'sealing_keys']);

// Locks that writers of a table wait for.
const blocking = sql`('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`;

const MANY = 50;

// "… cannot run inside a transaction block": so PostgreSQL refuses what works in several transactions to let others go
// on.
const NO_TRANSACTION = '25001';

interface Table {
  oid: string;
  name: string;
  /** The number of scans of the table and its indexes. */
  scans: number;
  /** The number of rows read. */
  read: number;
}

const tablesOf = async (db: QueryExecutorProvider): Promise<Table[]> => {
  const { rows } = await sql<Table>`
    select relid::text as oid, relname as name, (coalesce(seq_scan, 0) + coalesce(idx_scan, 0))::float8 as scans,
      (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 as read
    from pg_stat_xact_user_tables where schemaname = 'public' and relname <> 'schema_migrations'`.execute(db);
  return rows.filter(({ name }) => !SMALL_TABLES.has(name));
};

const lockedIn = async (db: QueryExecutorProvider): Promise<Set<string>> => {
  const { rows } = await sql<{ oid: string }>`
    select relation::text as oid from pg_locks
    where pid = pg_backend_pid() and locktype = 'relation' and mode in ${blocking}`.execute(db);
  return new Set(rows.map(({ oid }) => oid));
};

/** The effects of a part of a migration on existing tables. */
interface Effects {
  scanned: string[];
  blocked: string[];
}

/** True if a whole table was read. Reading only the first of many rows does not count. */
function isScanned(before: Table, after: Table = before): boolean {
  const read = after.read - before.read;
  return after.scans > before.scans && (read === 0 || read >= MANY);
}

/** Does the work in a transaction, which is committed. */
function effectsOf(database: TestDatabase, work: (db: QueryExecutorProvider) => Promise<unknown>): Promise<Effects> {
  return database.db.transaction().execute(async (trx) => {
    const before = await tablesOf(trx);
    await work(trx);
    const after = new Map((await tablesOf(trx)).map((table) => [table.oid, table]));
    const locked = await lockedIn(trx);
    return {
      scanned: before.flatMap((table) => (isScanned(table, after.get(table.oid)) ? [table.name] : [])),
      blocked: before.flatMap(({ oid, name }) => (locked.has(oid) ? [name] : [])),
    };
  });
}

/**
 * Applies a migration to a database that has those before it; a sentence for each table that others would have to wait
 * for.
 */
export async function lockBreaches(database: TestDatabase, migration: Migration): Promise<string[]> {
  const { scanned } = await effectsOf(database, (db) => migration.up(db));
  const breaches = scanned.map((table) => `up goes through ${table}: that belongs in a step`);
  for (const step of migration.steps ?? []) breaches.push(...(await breachesOfStep(database, step)));
  return breaches;
}

async function breachesOfStep(database: TestDatabase, step: Step): Promise<string[]> {
  try {
    const work = 'chunk' in step ? step.chunk : step.run;
    const { blocked } = await effectsOf(database, (db) => work(db, undefined));
    return blocked.map((table) => `the step "${step.name}" keeps writers of ${table} out`);
  } catch (error) {
    if (!('run' in step && error instanceof Error && Reflect.get(error, 'code') === NO_TRANSACTION)) throw error;
    await step.run(database.db);
    return [];
  }
}
