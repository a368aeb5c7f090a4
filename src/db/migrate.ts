import { setTimeout as sleep } from 'node:timers/promises';
import { Migrator, sql } from 'kysely';
import type { Logger } from '../base/log.js';
import { connect, type Db } from './connect.js';
import { migrations } from './migrations/index.js';

const ATTEMPTS = 30;

// Kysely's number, by which processes of every version exclude each other.
const lock = sql.lit('3853314791062309107');

/**
 * Applies the migrations that the database lacks, all or none, over connections of its own without time limits.
 * Several processes may call it at once: one works, the others wait. On a busy database it gives way: a table that
 * it cannot lock within a second is tried again later, because everybody else queues behind a waiting lock.
 */
export async function migrate(url: string, log: Logger, { pooled = false } = {}): Promise<void> {
  const limits = { statementTimeoutMs: 0, lockTimeoutMs: 1_000, connectionTimeoutMs: 10_000 };
  const db = connect({
    url,
    poolSize: 2,
    applicationName: 'malote migrate',
    log,
    pooled,
    prepared: !pooled,
    ...limits,
  });
  try {
    while (!(await migrateAlone(db, log))) await sleep(100 + Math.random() * 200);
  } finally {
    await db.destroy();
  }
}

/**
 * False when another process migrates. The lock lasts as long as its transaction, which is what poolers keep together, and is
 * not waited for: who waits in the database holds one of a pooler's connections, and the one who migrates needs two.
 */
async function migrateAlone(db: Db, log: Logger): Promise<boolean> {
  return db.transaction().execute(async (guard) => {
    const lockTaken = sql<boolean>`pg_try_advisory_xact_lock(${lock})`.as('isMine');
    const { isMine } = await guard.selectNoFrom(lockTaken).executeTakeFirstOrThrow();
    if (isMine) await attempt(db, log, ATTEMPTS);
    return isMine;
  });
}

async function attempt(db: Db, log: Logger, left: number): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) {
    if (left <= 1 || !isBusy(error)) throw error;
    log.info('a migration waits for a table in use');
    await sleep(200 + Math.random() * 800);
    return attempt(db, log, left - 1);
  }
  for (const { migrationName } of results) log.info({ migration: migrationName }, 'migrated');
}

/** Lock timeout or deadlock: the attempt changed nothing. */
function isBusy(error: unknown): boolean {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return code === '55P03' || code === '40P01';
}
