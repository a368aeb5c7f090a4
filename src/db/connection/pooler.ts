import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from '../../base/telemetry/log.js';
import { isUnavailable } from '../errors.js';
import { clientFor, NoWritableHostError } from './hosts.js';

export type Access = Record<'pooled' | 'prepared', boolean>;

const PROBE = 'malote_probe';

/** Waits until the database takes writes, then probes it. Throws the last error when the wait is over. */
export const awaitAccess = (url: string, wait: Wait, log: Logger): Promise<Access> =>
  wait(async () => {
    const { readOnly, ...access } = await probeAccess(url, log);
    if (readOnly) throw new NoWritableHostError('the database of DATABASE_URL takes no writes');
    return access;
  });

/**
 * Finds out whether a database takes writes, and whether a pooler answers for it that keeps prepared statements.
 * PgBouncer does from 1.21 on, under names of its own: the statement's own name shows that it was passed on.
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
    if (pooled) log.info({ prepared }, 'database.pooler_found');
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

/** Does work that needs the database; while that is unavailable, again. The work must bear being done twice. */
export type Wait = <T>(work: () => Promise<T>) => Promise<T>;

const PAUSE_MS = 500;

/** The wait of a start. Throws the last error once the database is unavailable to one work for `waitSeconds`. */
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
