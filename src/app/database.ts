import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { inBackground } from '../base/background.js';
import { clockAheadMs, setDatabaseTime } from '../base/clock.js';
import type { KeyRing } from '../base/secrets/keys.js';
import { ConfigError } from '../base/settings.js';
import type { Logger } from '../base/telemetry/log.js';
import type { Obstacle } from '../base/telemetry/readiness.js';
import { connect, type Db } from '../db/connect.js';
import { awaitAccess, probeAccess, type Wait, waitOf } from '../db/connection/pooler.js';
import { writeObstacle } from '../db/health/write-check.js';
import { isCopied } from '../db/lists/change-numbers.js';
import { listReader, type ReadList } from '../db/lists/replica.js';
import { migrate, untilMigrated } from '../db/migrations/migrate.js';
import { scalar } from '../db/one-row.js';
import { keepPartitions } from '../db/partitions/partitions.js';
import { sealObstacle } from '../db/sealing/sealed-tables.js';
import { sealedTables } from '../db/tables/sealed.js';
import { startRetention } from '../orders/retention/old-orders.js';
import type { Context } from './context.js';

/** The connection pools of a process, after the migration of the database. */
export interface Database {
  db: Db;
  /** A pool of one connection, to learn which tokens have ended. Requests may use up the main pool. */
  pollDb: Db;
  /** A pool of one connection, for readiness checks. */
  probeDb: Db;
  readList: ReadList;
  clockWatch: ClockWatch;
  /** Repeats work until the database answers. */
  wait: Wait;
}

/** Opens the pools and adds the readiness checks. */
export async function start({ config, keys, log, metrics, readiness, running }: Context): Promise<Database> {
  const { databaseUrl: url, databaseConnectTimeoutMs: connectionTimeoutMs } = config;
  if (url === undefined) throw new ConfigError('DATABASE_URL must be set');
  const wait = waitOf(config.waitForDatabaseSeconds, log);
  const { pooled, prepared } = await awaitAccess(url, wait, log);
  if (config.migrate) await wait(() => migrate(url, log, { pooled }));
  const access = { url, pooled, prepared: prepared && config.databasePrepared, connectionTimeoutMs };
  const pool = (name: string, poolSize: number, limits = {}): Db => {
    const watcher = metrics.pool(name);
    const db = connect({ ...access, poolSize, applicationName: 'malote service', log, watcher, ...limits });
    running.add(() => db.destroy());
    return db;
  };
  const db = pool('main', config.databasePoolSize);
  if (!config.migrate) await untilMigrated(db, log);
  if (await isCopied(db)) log.error({ command: 'malote changes renumber' }, 'changes.copied');
  const partitions = await keepPartitions(db, log);
  readiness.add(partitions.check);
  running.add(partitions.stop);
  const ages = { days: config.retentionOrdersDays, lostAfterDays: config.lostAfterDays };
  if (ages.days > 0) {
    const { onKept } = metrics.retention();
    running.add(startRetention({ db: pool('retention', 1, { statementTimeoutMs: 0 }), log, ages, onKept }));
  }
  const pollDb = pool('tokens', 1);
  const probeDb = pool('probes', 1);
  readiness.add(() => writeObstacle(probeDb));
  const clockWatch = await wait(() => watchClock(probeDb, log));
  for (const { check, stop } of [clockWatch, await watchKeys(db, keys.encryptionKeys, log)]) {
    readiness.add(check);
    running.add(stop);
  }
  const replica = await openReplica({ config, log, metrics, running });
  const readList: ReadList = replica
    ? listReader({ primary: db, markDb: pollDb, replica, log, count: metrics.listReads() })
    : (read) => read(db);
  return { db, pollDb, probeDb, readList, clockWatch, wait };
}

// Short limits: after a longer wait, the primary answers sooner.
const replicaLimits = { connectionTimeoutMs: 300, statementTimeoutMs: 3_000 };
const PROBE_MS = 1_000;

/** Opens a pool to the replica, if there is one. The service also starts if the replica is down. */
async function openReplica(context: Pick<Context, 'config' | 'log' | 'metrics' | 'running'>): Promise<Db | undefined> {
  const { log, metrics, running } = context;
  const { databaseReplicaUrl: url, databasePoolSize: poolSize, databasePrepared } = context.config;
  if (url === undefined) return undefined;
  // If the replica does not answer in time, assume the most limited kind of pooler.
  const unknown = { pooled: true, prepared: false };
  const probe = probeAccess(url, log).catch(() => unknown);
  const { pooled, prepared } = await Promise.race([probe, sleep(PROBE_MS, unknown)]);
  const access = { url, pooled, prepared: prepared && databasePrepared, ...replicaLimits };
  const watcher = metrics.pool('replica');
  const replica = connect({ ...access, poolSize, applicationName: 'malote lists', log, watcher });
  running.add(() => replica.destroy());
  return replica;
}

const KEYS_CHECKED_MS = 60_000;

/** Checks whether the keys open the sealed values, now and every minute: another process may seal with other keys. */
async function watchKeys(db: Db, ring: KeyRing, log: Logger) {
  let obstacle: Obstacle | undefined;
  const look = async (options?: { forget: boolean }): Promise<number> => {
    try {
      obstacle = await sealObstacle(db, ring, sealedTables, options);
    } catch (err) {
      log.warn({ err }, 'keys.check_failed');
    }
    return KEYS_CHECKED_MS;
  };
  const stop = inBackground(() => look(), await look({ forget: true }));
  return { check: async (): Promise<Obstacle | undefined> => obstacle, stop };
}

/** With a larger difference, tokens, certificates and times of this process are wrong. */
const MAX_OFF_MS = 900_000;
const CLOCK_COMPARED_MS = 5_000;
/** An answer that takes longer is not used, because it is not known when the clock was read. */
const LATE_MS = 1_000;

const wrongClock: Obstacle = {
  reason: 'clock',
  text: "this machine's clock is more than 15 minutes from the database's",
};

interface ClockWatch {
  isRight(): boolean;
  check(): Promise<Obstacle | undefined>;
  stop(): Promise<void>;
}

/**
 * Compares this machine's clock with the database's clock, now and every few seconds. Throws if the first look fails.
 */
async function watchClock(db: Db, log: Logger): Promise<ClockWatch> {
  const isRight = () => Math.abs(clockAheadMs()) <= MAX_OFF_MS;
  let wasRight = true;
  const look = async (latest: number) => {
    const { now, askedAt, answeredAt } = await timeOf(db);
    if (answeredAt - askedAt <= latest) setDatabaseTime(now, askedAt, answeredAt);
    const aheadSeconds = Math.round(clockAheadMs() / 1000);
    if (wasRight && !isRight()) log.error({ aheadSeconds, text: wrongClock.text }, 'clock.wrong');
    if (!wasRight && isRight()) log.info({ aheadSeconds }, 'clock.right');
    wasRight = isRight();
  };
  await look(Number.POSITIVE_INFINITY);
  // If the database does not answer, other checks report it.
  const again = () =>
    look(LATE_MS).then(
      () => CLOCK_COMPARED_MS,
      () => CLOCK_COMPARED_MS,
    );
  return {
    isRight,
    check: async () => (isRight() ? undefined : wrongClock),
    stop: inBackground(again, CLOCK_COMPARED_MS),
  };
}

/** Reads the database's clock over an open connection, so that the answer takes as little time as possible. */
async function timeOf(db: Db) {
  return db.connection().execute(async (connection) => {
    const askedAt = performance.now();
    const now = await scalar(connection, sql<Date>`clock_timestamp()`);
    return { now, askedAt, answeredAt: performance.now() };
  });
}
