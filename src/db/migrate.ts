import { setTimeout as sleep } from 'node:timers/promises';
import { Migrator } from 'kysely';
import type { Logger } from '../base/log.js';
import { connect, type Db } from './connect.js';
import { migrations } from './migrations/index.js';

const attempts = 30;

/**
 * Applies the migrations that the database lacks, all or none, over a connection of its own without time limits.
 * Several processes may call it at once: one works, the others wait. On a busy database it gives way: a table that
 * it cannot lock within a second is tried again later, because everybody else queues behind a waiting lock.
 */
export async function migrate(url: string, log: Logger): Promise<void> {
  const limits = { statementTimeoutMs: 0, lockTimeoutMs: 1_000, connectionTimeoutMs: 10_000 };
  const db = connect({ url, poolSize: 1, applicationName: 'malote migrate', log, ...limits });
  try {
    await attempt(db, log, attempts);
  } finally {
    await db.destroy();
  }
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
