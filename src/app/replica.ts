import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../base/config.js';
import { connect } from '../db/connect.js';
import { probeAccess } from '../db/pooler.js';
import { listReader, type ReadList } from '../db/replica.js';
import type { Context } from './context.js';
import type { Database } from './database.js';

type Primary = Pick<Database, 'db' | 'pollDb'> & Pick<Context, 'log' | 'metrics' | 'running'>;

// After a longer wait the primary answers sooner.
const CONNECTION_TIMEOUT_MS = 300;
const STATEMENT_TIMEOUT_MS = 3_000;
// A replica that is not probed in time is treated like the most limited kind of pooler.
const PROBE_MS = 1_000;

/** Lists are read at the replica. One that is away does not keep the service from starting. */
export async function listReading(
  url: string,
  { databasePoolSize: poolSize, databasePrepared }: Config,
  { db, pollDb, log, metrics, running }: Primary,
): Promise<ReadList> {
  const unknown = { pooled: true, prepared: false };
  const probe = probeAccess(url, log).catch(() => unknown);
  const { pooled, prepared } = await Promise.race([probe, sleep(PROBE_MS, unknown)]);
  const replica = connect({
    url,
    poolSize,
    applicationName: 'malote lists',
    log,
    watcher: metrics.pool('replica'),
    pooled,
    prepared: prepared && databasePrepared,
    connectionTimeoutMs: CONNECTION_TIMEOUT_MS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  running.add(() => replica.destroy());
  return listReader({ primary: db, markDb: pollDb, replica, log, count: metrics.listReads() });
}
