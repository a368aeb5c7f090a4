import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from '../base/log.js';
import { isUnavailable } from './errors.js';
import { clientFor } from './hosts.js';

/** How statements must be sent so that they mean the same behind whatever stands before the database. */
export interface Access {
  pooled: boolean;
  prepared: boolean;
}

const PROBE = 'malote_probe';
const PAUSE_MS = 500;

/**
 * What `probeAccess` finds, once the database answers and takes writes: at a start it may be starting too, or changing its primary.
 * Throws what the last attempt said when that takes longer than `waitSeconds`.
 */
export async function awaitAccess(url: string, waitSeconds: number, log: Logger): Promise<Access> {
  const deadline = performance.now() + 1000 * waitSeconds;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { readOnly, ...access } = await probeAccess(url, log);
      if (!readOnly) return access;
      throw new ReadOnlyDatabaseError('the database of DATABASE_URL takes no writes');
    } catch (error) {
      const mayCome = isUnavailable(error) || error instanceof ReadOnlyDatabaseError;
      if (!mayCome || performance.now() + PAUSE_MS > deadline) throw error;
      const reason = error instanceof Error ? error.message : undefined;
      if (attempt === 1) log.warn({ reason, waitSeconds }, 'waiting for the database');
    }
    await sleep(PAUSE_MS);
  }
}

class ReadOnlyDatabaseError extends Error {
  override name = 'ReadOnlyDatabaseError';
}

/**
 * Finds out whether the database at `url` takes writes, and whether a connection pooler answers for it that keeps prepared statements. PgBouncer does in
 * transaction mode from 1.21 on, under names of its own; the statement's own name in the database says that it was passed on.
 * Throws what the driver throws when nobody answers.
 */
export async function probeAccess(url: string, log: Logger): Promise<Access & { readOnly: boolean }> {
  const { Client, connectionString } = clientFor(url);
  const client = new Client({ connectionString, connectionTimeoutMillis: 10_000 });
  // A loss is reported by the query that it ends.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ pid: number; readOnly: boolean }>(
      `select pg_backend_pid() as pid, current_setting('transaction_read_only')::boolean as "readOnly"`,
    );
    // A pooler gives each client a number of its own, by which it finds the query that is to be cancelled.
    const pooled = rows[0]?.pid !== Reflect.get(client, 'processID');
    const prepared = !pooled || (await keepsStatements(client));
    if (pooled) log.info({ prepared }, 'a connection pooler answers for the database');
    return { pooled, prepared, readOnly: rows[0]?.readOnly === true };
  } finally {
    await client.end();
  }
}

async function keepsStatements(client: pg.Client): Promise<boolean> {
  const text = 'select from pg_prepared_statements where name = $1';
  // An error says that somebody else's statement of that name was met.
  const { rowCount } = await client.query({ name: PROBE, text, values: [PROBE] }).catch(() => ({ rowCount: 1 }));
  if (rowCount === 0) return true;
  await client.query('rollback');
  await client.query(`deallocate ${PROBE}`).catch(() => undefined);
  return false;
}
