import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { createLog } from '../../src/base/telemetry/log.js';
import { type ConnectOptions, connect, type Db } from '../../src/db/connect.js';
import { observeRows } from './jest/observed-rows.js';

export const PREFIX = 'malote_test';

// Set only when tests run, not in other programs that use this file.
const observations = process.env['MALOTE_TEST_ROWS'];
if (observations) observeRows(observations);

/** A separate database with all tables, in which no changes of others are seen. */
export interface TestDatabase {
  /** The address for TCP. */
  url: string;
  /** The address that costs the least CPU. */
  nearUrl: string;
  db: Db;
  drop(): Promise<void>;
}

/** The template of new databases: the address of a server, and the name of a migrated database there. */
export interface Origin {
  server: string;
  /** The address of the server that costs the least CPU, if only this run uses the server. */
  nearServer: string;
  template: string;
}

/** Timeouts for a busy machine, far longer than those of the service. */
export const patience = { connectionTimeoutMs: 60_000, lockTimeoutMs: 60_000, statementTimeoutMs: 120_000 };

/** Clones a template, by default that of the test run. Call `drop` when done. */
export async function createDatabase(
  { server, nearServer, template }: Origin = originOfRun(),
  limits: Pick<ConnectOptions, 'statementTimeoutMs' | 'lockTimeoutMs'> = {},
): Promise<TestDatabase> {
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  // Without syncing, copying files takes half the CPU of copying pages, which would also go into the log.
  const strategy = nearServer === server ? 'wal_log' : 'file_copy';
  await administer(nearServer, `create database ${name} template ${template} strategy ${strategy}`);
  const nearUrl = inDatabase(nearServer, name);
  const log = createLog({ level: 'silent' });
  const pool = { poolSize: 5, applicationName: 'malote test', ...patience };
  const db = connect({ url: nearUrl, log, ...pool, ...limits });
  const drop = async () => {
    await db.destroy();
    await administer(nearServer, `drop database if exists ${name} with (force)`);
  };
  return { url: inDatabase(server, name), nearUrl, db, drop };
}

const administrators = new Map<string, pg.Pool>();

/** Runs a statement on the one administrative connection, which stays open but keeps no process alive. */
async function administer(server: string, statement: string): Promise<void> {
  const kept = administrators.get(server);
  const one = { connectionString: server, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true };
  // The server may end before this process.
  const pool = kept ?? new pg.Pool(one).on('error', () => undefined);
  administrators.set(server, pool);
  await pool.query(statement);
}

/** Works with a separate pool, which may connect slowly on a busy machine. */
export async function withPool<T>(
  options: Partial<ConnectOptions> & { url: string },
  use: (pool: Db) => Promise<T>,
): Promise<T> {
  const log = createLog({ level: 'silent' });
  const pool = connect({ poolSize: 2, applicationName: 'pool', log, connectionTimeoutMs: 20_000, ...options });
  try {
    return await use(pool);
  } finally {
    await pool.destroy();
  }
}

/** The error of work that fails. Undefined if the work succeeds. */
export const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Drops everything in a database, including the records of migrations. */
export const emptied = (db: Db) => sql`drop schema public cascade; create schema public`.execute(db);

/** A log that records the names of the migrations in its lines. */
export function migrationRecorder() {
  const ran: unknown[] = [];
  const write = (line: string) => {
    const { migration, step } = JSON.parse(line);
    // Steps of a migration have lines of their own.
    if (step === undefined) ran.push(migration);
  };
  return { ran, log: createLog({ level: 'info', destination: { write } }) };
}

/** The address of another database on the server. */
export function inDatabase(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs one statement on a new connection. */
export async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function originOfRun(): Origin {
  const [server, nearServer] = [setting('MALOTE_TEST_SERVER'), setting('MALOTE_TEST_NEAR_SERVER')];
  return { server, nearServer, template: setting('MALOTE_TEST_TEMPLATE') };
}

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the tests by npm test`);
  return value;
}

/**
 * The number of connections that wait for a lock. Readers of the ends of partitions do not count: metrics read them
 * every 15 s. A transaction sees the same all along.
 */
export async function lockWaiters(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query not like '%pg_inherits%'`.execute(db);
  return rows[0]?.count ?? 0;
}
