import { chmod, mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createLog, type LogOptions } from '../../src/base/telemetry/log.js';
import { migrate } from '../../src/db/migrations/migrate.js';
import { type Embedded, startEmbedded } from '../../src/embedded/embedded.js';
import { execute, inDatabase, type Origin, PREFIX } from './database.js';

/** An embedded PostgreSQL in a new folder. */
export interface TemporaryPostgres extends Embedded {
  folder: string;
  /** The id of the main process of the server. */
  pid(): Promise<number>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

interface PostgresOptions {
  settings?: Readonly<Record<string, string>>;
  level?: LogOptions['level'];
}

export async function startPostgres({
  settings = {},
  level = 'error',
}: PostgresOptions = {}): Promise<TemporaryPostgres> {
  const place = await roomiestPlace();
  await sweep(place);
  const folder = await mkdtemp(join(place, `${PREFIX}-${process.pid}-`));
  // Under root PostgreSQL runs as another user, who also needs this folder.
  await chmod(folder, 0o755);
  const server = await startEmbedded({ dataDir: folder, settings, log: createLog({ level }) });
  const pid = async () =>
    Number((await readFile(join(folder, 'postgres', 'files', 'postmaster.pid'), 'utf8')).split('\n')[0]);
  const stop = async () => {
    // A server that is being stopped does not keep this process alive, and its last checkpoint takes a while.
    const awake = setInterval(() => undefined, 1_000);
    await server.stop();
    clearInterval(awake);
    await rm(folder, { recursive: true, force: true });
  };
  return { ...server, folder, pid, stop };
}

/** Makes a migrated database as a template for clones. */
export async function createTemplate(server: string, nearServer = server): Promise<Origin> {
  const template = `${PREFIX}_template_${process.pid}_${Date.now()}`;
  await execute(server, `create database ${template}`);
  await migrate(inDatabase(server, template), createLog({ level: 'error' }));
  return { server, nearServer, template };
}

/** Settings without durability, because no data outlives the run. */
const hasty = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_connections: '300',
};

let release = async (): Promise<void> => undefined;

/**
 * One PostgreSQL for the whole test run, with a migrated template that test files clone. It is the server of
 * TEST_DATABASE_URL or DATABASE_URL where that is set, whose user must be allowed to create databases; else an
 * embedded one.
 */
export async function start(): Promise<void> {
  const serverUrl = process.env['TEST_DATABASE_URL'] || process.env['DATABASE_URL'];
  const server = serverUrl ? { url: serverUrl, nearUrl: serverUrl } : await startPostgres({ settings: hasty });
  if ('stop' in server) release = server.stop;
  const origin = await createTemplate(server.url, server.nearUrl);
  if (serverUrl) release = () => dropAll(origin);
  process.env['MALOTE_TEST_SERVER'] = origin.server;
  process.env['MALOTE_TEST_NEAR_SERVER'] = origin.nearServer;
  process.env['MALOTE_TEST_TEMPLATE'] = origin.template;
  process.env['MALOTE_TEST_ROWS'] = join(tmpdir(), `${origin.template}.rows`);
  process.env['MALOTE_TEST_ANSWERS'] = join(tmpdir(), `${origin.template}.answers`);
}

export async function stop(): Promise<void> {
  await release();
}

const MEMORY = '/dev/shm';
/** Far more bytes than the databases of a run need. */
const ENOUGH_BYTES = 2 * 1024 ** 3;

/** A folder in memory if there is enough, because making and removing files takes a third of the CPU of a run. */
async function roomiestPlace(): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= ENOUGH_BYTES ? MEMORY : tmpdir();
}

/** Removes folders of killed runs, whose PostgreSQL ended with them. */
async function sweep(place: string): Promise<void> {
  for (const name of await readdir(place)) {
    const pid = Number(new RegExp(`^${PREFIX}-(\\d+)-`).exec(name)?.[1]);
    if (pid && !isAlive(pid)) await rm(join(place, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Drops the template and leftover databases of test files, on a server that keeps running. */
async function dropAll({ server, template }: Origin): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  const { rows } = await client.query<{ datname: string }>(
    'select datname from pg_database where starts_with(datname, $1)',
    [template],
  );
  for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`);
  await client.end();
}
