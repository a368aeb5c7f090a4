import type { Config } from '../base/config.js';
import type { Logger } from '../base/log.js';
import type { RunningParts } from '../base/process.js';
import { connect, type Db } from '../db/connect.js';
import { migrate, untilMigrated } from '../db/migrations/migrate.js';
import { keepPartitions } from '../db/partitions/upkeep.js';
import { awaitAccess } from '../db/pooler.js';
import type { Wait } from '../db/wait.js';
import { startEmbedded } from '../embedded/embedded.js';
import { startRetention } from '../orders/retention/start.js';
import type { ServiceMetrics } from './metrics.js';

/** What connections of the service call themselves; up to 1.2 it was `malote`, by which `malote partition` knows them. */
const SERVICE = 'malote service';

/** The pools of a process, of a database that is migrated; it is this process's own unless another is configured or supervised. */
export async function startDatabase(
  config: Config,
  supervised: string | undefined,
  log: Logger,
  metrics: Pick<ServiceMetrics, 'pool'>,
  running: RunningParts,
  wait: Wait,
) {
  const { databaseUrl, databaseConnectTimeoutMs: connectionTimeoutMs } = config;
  const url = databaseUrl ?? supervised ?? (await startOwnDatabase(config, log, running));
  const { pooled, prepared } = databaseUrl ? await awaitAccess(url, wait, log) : { pooled: false, prepared: true };
  if (config.migrate) await wait(() => migrate(url, log, { pooled }));
  const access = { url, pooled, prepared: prepared && config.databasePrepared, connectionTimeoutMs };
  const pool = (name: string, poolSize: number, limits = {}): Db => {
    const watcher = metrics.pool(name);
    const db = connect({ ...access, poolSize, applicationName: SERVICE, log, watcher, ...limits });
    running.add(() => db.destroy());
    return db;
  };
  const db = pool('main', config.databasePoolSize);
  if (!config.migrate) await untilMigrated(db, log);
  running.add(await keepPartitions(db, log));
  const { retentionOrdersDays: days } = config;
  if (days > 0) running.add(startRetention({ db: pool('retention', 1, { statementTimeoutMs: 0 }), log, days }));
  // A pool that requests have used up must keep the process neither from learning which tokens have ended nor from saying that it is ready.
  return { db, pollDb: pool('tokens', 1), probeDb: pool('probes', 1) };
}

async function startOwnDatabase({ dataDir }: Config, log: Logger, running: RunningParts): Promise<string> {
  const embedded = await startEmbedded({ dataDir, log });
  running.add(embedded.stop);
  return embedded.nearUrl;
}
