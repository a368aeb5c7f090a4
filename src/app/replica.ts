import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, type Registry } from 'prom-client';
import type { Config } from '../base/config.js';
import type { Logger } from '../base/log.js';
import type { RunningParts } from '../base/process.js';
import { connect, type Db } from '../db/connect.js';
import { probeAccess } from '../db/pooler.js';
import { type ListReadOutcome, listReader, type ReadList } from '../db/replica.js';
import type { ServiceMetrics } from './metrics.js';

interface Surroundings {
  db: Db;
  pollDb: Db;
  log: Logger;
  metrics: Registry;
  pool: ServiceMetrics['pool'];
  running: RunningParts;
}

// A list that waits longer is sooner answered by the primary.
const CONNECTION_TIMEOUT_MS = 300;
const STATEMENT_TIMEOUT_MS = 3_000;
// After that it is used as a pooler of any kind would have to be.
const PROBE_MS = 1_000;

/** Where lists are read: at the replica, if one is configured. A replica that is away does not keep the service from starting. */
export async function listReading(
  { databaseReplicaUrl: url, databasePoolSize: poolSize, databasePrepared }: Config,
  { db, pollDb, log, metrics, pool, running }: Surroundings,
): Promise<ReadList> {
  if (url === undefined) return (read) => read(db);
  const unknown = { pooled: true, prepared: false };
  const { pooled, prepared } = await Promise.race([
    probeAccess(url, log).catch(() => unknown),
    sleep(PROBE_MS, unknown),
  ]);
  const replica = connect({
    url,
    poolSize,
    applicationName: 'malote lists',
    log,
    watcher: pool('replica'),
    pooled,
    prepared: prepared && databasePrepared,
    connectionTimeoutMs: CONNECTION_TIMEOUT_MS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  running.add(() => replica.destroy());
  const reads = new Counter<'outcome'>({
    name: 'malote_list_reads_total',
    help: 'Lists by who answered: the replica, or the primary because the replica was behind, failed or is resting after that',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  const count = (outcome: ListReadOutcome) => reads.inc({ outcome });
  return listReader({ primary: db, markDb: pollDb, replica, log, count });
}
