import type { Config } from '../base/config.js';
import type { Logger } from '../base/log.js';
import type { RunningParts } from '../base/process.js';
import { connect, type Db } from '../db/connect.js';
import { migrate, untilMigrated } from '../db/migrate.js';
import { keepPartitions } from '../db/partitions/upkeep.js';
import { awaitAccess } from '../db/pooler.js';
import { startEmbedded } from '../embedded/embedded.js';
import { startRetention } from '../orders/retention/start.js';

/** What connections of the service call themselves; up to 1.2 it was `malote`, by which `malote partition` knows them. */
const SERVICE = 'malote service';

/** The pools of a process, of a database that is migrated; it is this process's own unless another is configured or supervised. */
export async function startDatabase(
  config: Config,
  supervised: string | undefined,
  log: Logger,
  running: RunningParts,
) {
  const { databaseUrl, waitForDatabaseSeconds: waitSeconds, databaseConnectTimeoutMs: connectionTimeoutMs } = config;
  const url = databaseUrl ?? supervised ?? (await startOwnDatabase(config, log, running));
  const { pooled, prepared } = databaseUrl
    ? await awaitAccess(url, waitSeconds, log)
    : { pooled: false, prepared: true };
  if (config.migrate) await migrate(url, log, { pooled });
  const access = { url, pooled, prepared: prepared && config.databasePrepared, connectionTimeoutMs };
  const pool = (poolSize: number, limits = {}): Db => {
    const db = connect({ ...access, poolSize, applicationName: SERVICE, log, ...limits });
    running.add(() => db.destroy());
    return db;
  };
  const db = pool(config.databasePoolSize);
  if (!config.migrate) await untilMigrated(db, log);
  running.add(await keepPartitions(db, log));
  const { retentionOrdersDays: days } = config;
  if (days > 0) running.add(startRetention({ db: pool(1, { statementTimeoutMs: 0 }), log, days }));
  // A pool that requests have used up must keep the process neither from learning which tokens have ended nor from saying that it is ready.
  return { db, pollDb: pool(1), probeDb: pool(1) };
}

async function startOwnDatabase({ dataDir }: Config, log: Logger, running: RunningParts): Promise<string> {
  const embedded = await startEmbedded({ dataDir, log });
  running.add(embedded.stop);
  return embedded.nearUrl;
}
