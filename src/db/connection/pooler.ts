import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from '../../base/telemetry/log.js';
import { isUnavailable } from '../errors.js';
import { clientFor, NoWritableHostError } from './hosts.js';

export type Access = Record<'pooled' | 'prepared', boolean>;

const PROBE = 'malote_probe';

/** Waits until the database takes writes, then probes it. Throws the last error when the time is over. */
export const awaitAccess = (url: string, wait: Wait, log: Logger): Promise<Access> =>
  wait(async () => {
    const { readOnly, ...access } = await probeAccess(url, log);
    if (readOnly) throw new NoWritableHostError('the database of DATABASE_URL takes no writes');
    return access;
  });

/**
 * Finds out whether a database takes writes, and whether a pooler that keeps prepared statements answers for it.
 * PgBouncer keeps them since 1.21, but under its own names. So it keeps them if the server does not know the
 * statement's own name.
 */
export async function probeAccess(url: string, log: Logger): Promise<Access & { readOnly: boolean }> {
  const { Client, connectionString } = clientFor(url);
  const client = new Client({ connectionString, connectionTimeoutMillis: 10_000 });
  // The query that a lost connection ends reports the loss.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ pid: number; readOnly: boolean }>(
      `select pg_backend_pid() as pid, current_setting('transaction_read_only')::boolean as "readOnly"`,
    );
    // A pooler gives each client its own number, by which it finds a query to cancel.
    const pooled = rows[0]?.pid !== Reflect.get(client, 'processID');
    const prepared = !pooled || (await keepsStatements(client));
    if (pooled) log.info({ prepared }, 'database.pooler_found');
    return { pooled, prepared, readOnly: rows[0]?.readOnly === true };
  } finally {
    await client.end();
  }
}

async function keepsStatements(client: pg.Client): Promise<boolean> {
  const text = 'select from pg_prepared_statements where name = $1';
  // An error means that another client's statement has this name.
  const { rowCount } = await client.query({ name: PROBE, text, values: [PROBE] }).catch(() => ({ rowCount: 1 }));
  if (rowCount === 0) return true;
  await client.query('rollback');
  await client.query(`deallocate ${PROBE}`).catch(() => undefined);
  return false;
}

/** Does work that needs the database, and repeats it while the database is unavailable. The work may run twice. */
export type Wait = <T>(work: () => Promise<T>) => Promise<T>;

const PAUSE_MS = 500;

/** Makes the wait of a start. It throws the last error if the database is unavailable to one work for `waitSeconds`. */
export function waitOf(waitSeconds: number, log: Logger): Wait {
  return async (work) => {
    let deadline: number | undefined;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const last = deadline ?? performance.now() + 1000 * waitSeconds;
        if (!isUnavailable(error) || performance.now() + PAUSE_MS > last) throw error;
        const reason = error instanceof Error ? error.message : undefined;
        if (deadline === undefined) log.warn({ reason, waitSeconds }, 'database.waiting');
        deadline = last;
      }
      await sleep(PAUSE_MS);
    }
  };
}
