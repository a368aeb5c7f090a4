import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Logger } from '../../base/telemetry/log.js';
import { connect, type Db } from '../connect.js';
import { isUnavailable } from '../errors.js';
import { scalar } from '../one-row.js';
import { applyMigrations, makeNew, type Pools, type Tell } from './apply.js';
import { migrations as allMigrations } from './index.js';
import { MigrationError } from './migration.js';
import {
  ensureRecords,
  hasTable,
  type MigrationStatus,
  type Migrations,
  migrationStatuses,
  readRecords,
  readWorkable,
  unknownNames,
} from './records.js';

// A request gives up on a lock after half a second, and queues behind every lock that is waited for.
const LOCK_TIMEOUT_MS = 300;

const lock = sql.lit('3853314791062309108');

/**
 * Applies missing migrations, over connections without time limits. Several processes may call it at once: one works,
 * the others wait. After an interruption the next call resumes. Throws MigrationError if the database is too new or too
 * old.
 */
export async function migrate(
  url: string,
  log: Logger,
  { pooled = false, migrations = allMigrations, tell = logged(log) } = {},
): Promise<void> {
  const connection = { url, log, pooled, prepared: !pooled, applicationName: 'malote migrate' };
  const timeless = { ...connection, statementTimeoutMs: 0, connectionTimeoutMs: 10_000 };
  const brief = connect({ ...timeless, poolSize: 2, lockTimeoutMs: LOCK_TIMEOUT_MS });
  const patient = connect({ ...timeless, poolSize: 1, lockTimeoutMs: 0 });
  try {
    await applyAll({ brief, patient }, migrations, log, tell);
  } finally {
    await Promise.all([brief.destroy(), patient.destroy()]);
  }
}

async function applyAll(pools: Pools, migrations: Migrations, log: Logger, tell: Tell): Promise<void> {
  const newer = unknownNames(migrations, await readWorkable(pools.brief, migrations));
  if (newer.length > 0) log.info({ migrations: newer }, 'migrations.newer_found');
  await alone(pools.brief, async () => {
    await ensureRecords(pools.brief);
    if (!(await hasTable(pools.brief, 'accounts'))) await makeNew(pools, allMigrations, tell);
    await applyMigrations(pools, migrations, tell);
  });
}

/**
 * Runs work that only one process may do at a time. The lock lasts as long as its transaction, which poolers keep
 * together. It is tried again and again: a waiting process would hold one of a pooler's connections, and the migrating
 * process needs two.
 */
async function alone(db: Db, work: () => Promise<void>): Promise<void> {
  const isDone = () =>
    db.transaction().execute(async (guard) => {
      const isMine = await scalar(guard, sql<boolean>`pg_try_advisory_xact_lock(${lock})`);
      if (isMine) await work();
      return isMine;
    });
  while (!(await isDone())) await sleep(100 + Math.random() * 200);
}

const PROGRESS_MS = 10_000;

function logged(log: Logger): Tell {
  let told = performance.now();
  return ({ event, ...facts }) => {
    if (event === 'applied') log.info(facts, 'migrations.applied');
    else if (event === 'waiting') log.info('migrations.waiting');
    else if (performance.now() - told > PROGRESS_MS) {
      told = performance.now();
      log.info(facts, 'migrations.running');
    }
  };
}

/** The reason why this release can neither use nor migrate the database. Undefined if it can. */
export async function migrationRefusal(db: Db): Promise<string | undefined> {
  try {
    await readWorkable(db, allMigrations);
    return undefined;
  } catch (error) {
    if (error instanceof MigrationError) return error.message;
    throw error;
  }
}

export const migrationStatus = async (db: Db): Promise<MigrationStatus[]> =>
  migrationStatuses(allMigrations, await readRecords(db));

const LOOK_MS = 1_000;

/**
 * Waits until another process has applied all migrations. Throws MigrationError if the database is too new or too old.
 */
export async function untilMigrated(db: Db, log: Logger, migrations: Migrations = allMigrations): Promise<void> {
  for (let told = false; ; await sleep(LOOK_MS)) {
    const missing = await missingFrom(db, migrations);
    if (missing?.length === 0) return;
    if (!told && missing) {
      log.warn({ missing }, 'migrations.missing');
      told = true;
    }
  }
}

/** The missing migrations. Undefined if the database does not answer. */
async function missingFrom(db: Db, migrations: Migrations): Promise<string[] | undefined> {
  try {
    const records = await readWorkable(db, migrations);
    return migrationStatuses(migrations, records).flatMap(({ migration, state }) =>
      state === 'pending' || state === 'under way' ? [migration] : [],
    );
  } catch (error) {
    if (isUnavailable(error)) return undefined;
    throw error;
  }
}
