import pg from 'pg';
import type { Logger } from '../base/log.js';

/** How statements must be sent so that they mean the same behind whatever stands before the database. */
export interface Access {
  pooled: boolean;
  prepared: boolean;
}

const PROBE = 'malote_probe';

/**
 * Finds out whether a connection pooler answers at `url` and whether it keeps prepared statements. PgBouncer does in
 * transaction mode from 1.21 on, under names of its own; the statement's own name in the database says that it was passed on.
 * Throws what the driver throws when nobody answers.
 */
export async function probeAccess(url: string, log: Logger): Promise<Access> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // A loss is reported by the query that it ends.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    // A pooler gives each client a number of its own, by which it finds the query that is to be cancelled.
    const pooled = rows[0]?.pid !== Reflect.get(client, 'processID');
    const prepared = !pooled || (await keepsStatements(client));
    if (pooled) log.info({ prepared }, 'a connection pooler answers for the database');
    return { pooled, prepared };
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
