import { Kysely, PostgresAdapter, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Logger } from '../base/telemetry/log.js';
import { harden, preparedStatements } from './connection/client.js';
import { clientFor } from './connection/hosts.js';
import type { Database } from './tables/database.js';

/** The pool or a transaction on it: query functions take either. */
export type Db = Kysely<Database>;

/** A pool as it is now; `waiting` are those who wait for a connection. */
export type PoolState = Record<'size' | 'idle' | 'waiting', number>;

export interface PoolWatcher {
  onPool(read: () => PoolState): void;
  /** Called when no connection was got: the database was out of reach, or none became free in time. */
  onAcquireError(): void;
}

export interface ConnectOptions {
  url: string;
  poolSize: number;
  applicationName: string;
  log: Logger;
  watcher?: PoolWatcher;
  /** Off for a pooler that loses them between transactions; on unless said otherwise. */
  prepared?: boolean;
  /** A pooler may give each transaction another connection, which keeps no settings. */
  pooled?: boolean;
  connectionTimeoutMs?: number;
  lockTimeoutMs?: number;
  /** Also bounds how long a transaction may do nothing. 0 is no limit. */
  statementTimeoutMs?: number;
}

// A request waits for a connection and then for a lock: together 1.2 s until it is refused. A longer queue would
// only make the answers late.
const limits = { connectionTimeoutMs: 700, lockTimeoutMs: 500, statementTimeoutMs: 10_000 };

// A server that is gone or frozen cannot enforce its own timeout.
const GRACE_MS = 2_000;

/** A pool that survives restarts of the database and refuses rather than waits. `destroy()` ends it. */
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
    // A pooler refuses these when a connection is opened, or drops them.
    ...(pooled ? { pipeline: true } : { ...timeouts, options: optionsOf(planning) }),
    query_timeout: statementTimeoutMs && statementTimeoutMs + GRACE_MS,
    types: { getTypeParser },
  });
  const statements = prepared ? preparedStatements(() => log.warn('database.prepared_statements_lost')) : undefined;
  // Without a listener the loss of an idle connection ends the process; the connection's own one reports it.
  pool.on('error', () => undefined);
  // Some statements run in no transaction; without limits none is made for their sake.
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
 * Plans a prepared statement once, for any values: its partitions are found when it runs. The planner would rather plan
 * each call, which takes longer than running most, and compile for tables that are not read.
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

/** Kysely's own lock of migrations belongs to a session, which poolers do not keep: `migrate` has another. */
class Dialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return Object.assign(new PostgresAdapter(), {
      acquireMigrationLock: async () => undefined,
      releaseMigrationLock: async () => undefined,
    });
  }
}

const DATE_OID = 1082;

/** A DATE has no zone, so it stays `YYYY-MM-DD`; the driver would make it midnight in the zone of this machine. */
const getTypeParser: typeof pg.types.getTypeParser = (id, format) =>
  id === DATE_OID ? (text: string) => text : pg.types.getTypeParser(id, format);
