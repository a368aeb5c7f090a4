import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Migrator, sql } from 'kysely';
import { createLog } from '../../../src/base/log.js';
import { connect, type Db } from '../../../src/db/connect.js';
import { migrate } from '../../../src/db/migrate.js';
import { migrations } from '../../../src/db/migrations/index.js';
import { startEmbedded } from '../../../src/embedded/embedded.js';
import { type Bulk, fill } from './bulk.js';

const log = createLog({ level: 'error' });

/** It is thrown away, and its loading is not what is measured. */
const hasty = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_wal_size: '4GB',
  shared_buffers: '1GB',
  work_mem: '256MB',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
};

export interface Stage {
  /** A database of its own, filled, with all tables; a pool of as many connections. */
  database(name: string, bulk: Bulk, poolSize?: number): Promise<Db>;
  close(): Promise<void>;
}

/** An embedded PostgreSQL in a temporary directory. */
export async function openStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'malote-lists-'));
  await chmod(folder, 0o755);
  const { url, stop } = await startEmbedded({ dataDir: folder, settings: hasty, log });
  const opened: Db[] = [];
  const open = (address: string, poolSize: number, statementTimeoutMs: number) => {
    const limits = { statementTimeoutMs, lockTimeoutMs: statementTimeoutMs, connectionTimeoutMs: 60_000 };
    const db = connect({ url: address, poolSize, applicationName: 'malote bench', log, ...limits });
    opened.push(db);
    return db;
  };
  const database = async (name: string, bulk: Bulk, poolSize = 1) => {
    await sql`create database ${sql.ref(name)}`.execute(open(url, 1, 0));
    const address = new URL(url);
    address.pathname = `/${name}`;
    const loading = open(address.href, 1, 0);
    await load(loading, address.href, bulk);
    return open(address.href, poolSize, 60_000);
  };
  const close = async () => {
    // A server that is being stopped does not keep this process alive, and its last checkpoint takes a while.
    const awake = setInterval(() => undefined, 1_000);
    await Promise.all(opened.map((db) => db.destroy()));
    await stop();
    clearInterval(awake);
    await rm(folder, { recursive: true, force: true });
  };
  return { database, close };
}

/** The orders are there before their tallies: one migration counts them faster than triggers do, and its time is worth knowing. */
async function load(db: Db, url: string, bulk: Bulk): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateTo('0003-deliveries');
  if (error) throw error;
  await timed(`${bulk.orders} orders`, () => fill(db, bulk));
  await timed('their tallies and an index, by the migration', () => migrate(url, log));
  await sql`create extension pg_stat_statements`.execute(db);
  await sql`vacuum analyze`.execute(db);
}

async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const started = performance.now();
  await work();
  console.log(`${what}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
}
