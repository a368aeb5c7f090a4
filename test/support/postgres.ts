import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createLog } from '../../src/base/log.js';
import { migrate } from '../../src/db/migrate.js';
import { startEmbedded } from '../../src/embedded/embedded.js';
import { execute, inDatabase, prefix } from './database.js';

const log = createLog({ level: 'error' });
const template = `${prefix}_template_${process.pid}_${Date.now()}`;
let release = async (): Promise<void> => undefined;

/**
 * One PostgreSQL for the whole run, with a migrated template that test files clone. It is the server of TEST_DATABASE_URL
 * or DATABASE_URL where that is set, whose user must be allowed to create databases; else an embedded one.
 */
export async function start(): Promise<void> {
  const given = process.env['TEST_DATABASE_URL'] || process.env['DATABASE_URL'];
  const server = given ?? (await embedded());
  await execute(server, `create database ${template}`);
  await migrate(inDatabase(server, template), log);
  process.env['MALOTE_TEST_SERVER'] = server;
  process.env['MALOTE_TEST_TEMPLATE'] = template;
  process.env['MALOTE_TEST_ROWS'] = join(tmpdir(), `${template}.rows`);
  if (given) release = () => dropAll(given);
}

export async function stop(): Promise<void> {
  await release();
}

/** Nothing in it outlives the run, so it need not be written with care. */
const hasty = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_connections: '300',
};

async function embedded(): Promise<string> {
  await sweep();
  const folder = await mkdtemp(join(tmpdir(), `${prefix}-${process.pid}-`));
  await chmod(folder, 0o755);
  const { url, stop: stopServer } = await startEmbedded({ dataDir: folder, settings: hasty, log });
  release = async () => {
    await stopServer();
    await rm(folder, { recursive: true, force: true });
  };
  return url;
}

/** Folders of runs that were killed; their PostgreSQL ended with them. */
async function sweep(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(new RegExp(`^${prefix}-(\\d+)-`).exec(name)?.[1]);
    if (pid && !isAlive(pid)) await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The template and what test files left behind, on a server that stays. */
async function dropAll(server: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  const { rows } = await client.query<{ datname: string }>(
    'select datname from pg_database where starts_with(datname, $1)',
    [template],
  );
  for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`);
  await client.end();
}
