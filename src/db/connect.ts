import { Kysely, PostgresAdapter, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Logger } from '../base/telemetry/log.js';
import { harden, preparedStatements } from './connection/client.js';
import { clientFor } from './connection/hosts.js';
import type { Database } from './tables/database.js';

/** The pool or a transaction on it. Query functions accept both. */
export type Db = Kysely<Database>;

/** The present state of a pool. `waiting` counts the callers that wait for a connection. */
export type PoolState = Record<'size' | 'idle' | 'waiting', number>;

export interface PoolWatcher {
  onPool(read: () => PoolState): void;
  /** Called if no connection could be acquired: the database was unreachable, or no connection became free in time. */
  onAcquireError(): void;
}

export interface ConnectOptions {
  url: string;
  poolSize: number;
  applicationName: string;
  log: Logger;
  watcher?: PoolWatcher;
  /** False for a pooler that loses prepared statements between transactions. Default: true. */
  prepared?: boolean;
  /** True for a pooler, which may give each transaction another connection. Such a connection keeps no settings. */
  pooled?: boolean;
  connectionTimeoutMs?: number;
  lockTimeoutMs?: number;
  /** Also bounds the time that a transaction may be idle. 0 means no limit. */
  statementTimeoutMs?: number;
}

// A request waits for a connection and then for a lock: at most 1.2 s together before it is refused. A longer queue
// would only make the answers late.
const limits = { connectionTimeoutMs: 700, lockTimeoutMs: 500, statementTimeoutMs: 10_000 };

// A server that is gone or frozen cannot enforce its own timeout, so the client adds one with this grace.
const GRACE_MS = 2_000;

/** Creates a pool that survives restarts of the database. It refuses instead of waiting long. `destroy()` ends it. */
export function connect(options: ConnectOptions): Db {
  const { url, poolSize, applicationName, log, watcher, prepared = true, pooled = false } = options;
  const { connectionTimeoutMs, lockTimeoutMs, statementTimeoutMs } = { ...limits, ...options };
  const timeouts = {
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
  };
  const planning = prepared ? genericPlans : {};
  const pool = new pg.Pool({
    ...clientFor(url),
    max: poolSize,
    application_name: applicationName,
    connectionTimeoutMillis: connectionTimeoutMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    // A pooler refuses these settings when a connection opens, or drops them.
    ...(pooled ? { pipeline: true } : { ...timeouts, options: optionsOf(planning) }),
    query_timeout: statementTimeoutMs && statementTimeoutMs + GRACE_MS,
    types: { getTypeParser },
  });
  const statements = prepared ? preparedStatements(() => log.warn('database.prepared_statements_lost')) : undefined;
  // Without a listener, the loss of an idle connection would end the process. The connection's own listener logs it.
  pool.on('error', () => undefined);
  // Some statements run without a transaction. If there are no limits, none is opened for them.
  const isLimited = pooled && Object.values(timeouts).some((milliseconds) => milliseconds > 0);
  const sent = isLimited ? setLocal({ ...timeouts, ...planning }) : undefined;
  pool.on('connect', (client) => harden(client, { log, statements, limits: sent, isEnding: () => pool.ending }));
  watcher?.onPool(() => ({ size: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }));
  const acquire = () =>
    pool.connect().catch((error: unknown) => {
      watcher?.onAcquireError();
      throw error;
    });
  const source = { connect: acquire, end: () => pool.end(), options: pool.options };
  return new Kysely<Database>({ dialect: new Dialect({ pool: source }) });
}

/**
 * Plans a prepared statement only once, for any values: its partitions are found when it runs. By default the planner
 * would plan each call, which takes longer than most statements run, and compile code for tables that are not read.
 */
const genericPlans = { plan_cache_mode: 'force_generic_plan', jit: 'off' };

type Settings = Readonly<Record<string, number | string>>;

const setLocal = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `set local ${name} = ${value}`)
    .join('; ');

const optionsOf = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

/**
 * Replaces Kysely's own lock of migrations, which belongs to a session. Poolers do not keep sessions; `migrate` has
 * another lock.
 */
class Dialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return Object.assign(new PostgresAdapter(), {
      acquireMigrationLock: async () => undefined,
      releaseMigrationLock: async () => undefined,
    });
  }
}

const DATE_OID = 1082;

/** Reads a DATE as `YYYY-MM-DD`, because it has no time zone. The driver would make it this machine's midnight. */
const getTypeParser: typeof pg.types.getTypeParser = (id, format) =>
  id === DATE_OID ? (text: string) => text : pg.types.getTypeParser(id, format);
