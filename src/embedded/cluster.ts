import { randomBytes, randomUUID } from 'node:crypto';
import { access, chown, mkdir, open, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readOrCreate } from '../base/files.js';
import { isId } from '../base/ids.js';
import type { Logger } from '../base/log.js';
import type { Binaries } from './binaries.js';
import { run, type SystemUser } from './system-user.js';

/** A database directory: `home` holds PostgreSQL's own `files`, the password and the last port. */
export interface Cluster {
  home: string;
  files: string;
  password: string;
}

export const USER = 'malote';
const DURABLE = '/var/lib/malote';

/**
 * Where the database lives: in the data directory, or, when the system user cannot enter that (a 0700 home of root), under
 * /var/lib/malote. Which folder there is noted in the data directory: who deletes it begins anew.
 */
export async function homeOf(dataDir: string, systemUser: SystemUser | undefined, log: Logger): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const real = await realpath(dataDir);
  if (!systemUser || (await canEnter(real, systemUser))) return join(real, 'postgres');
  const noted = await readOrCreate(join(real, 'postgres.location'), () => join(DURABLE, randomUUID()));
  const home = noted.trim();
  await mkdir(dirname(home), { recursive: true, mode: 0o755 });
  log.info(
    { dataDir: real, path: home },
    'the database is kept outside the data directory, which the user postgres cannot enter',
  );
  return home;
}

/** Whether the service has made a database for this data directory. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  return (await exists(join(dataDir, 'postgres'))) || (await exists(join(dataDir, 'postgres.location')));
}

async function canEnter(folder: string, systemUser: SystemUser): Promise<boolean> {
  return run('sh', ['-c', 'cd -- "$0"', folder], systemUser).then(
    () => true,
    () => false,
  );
}

/** The cluster in `home`, made first if it is missing. A kill in the midst of making it leaves no trace under `home`. */
export async function openCluster(
  home: string,
  binaries: Binaries,
  systemUser: SystemUser | undefined,
  durably: boolean,
): Promise<Cluster> {
  if (!(await exists(home))) await create(home, binaries, systemUser, durably);
  return readCluster(home);
}

export async function readCluster(home: string): Promise<Cluster> {
  const password = await readFile(join(home, 'password'), 'utf8');
  return { home, files: join(home, 'files'), password: password.trim() };
}

async function create(
  home: string,
  binaries: Binaries,
  systemUser: SystemUser | undefined,
  durably: boolean,
): Promise<void> {
  const draft = `${home}.${randomUUID()}`;
  try {
    await mkdir(draft, { mode: 0o700 });
    await writePassword(join(draft, 'password'), systemUser);
    if (systemUser) await chown(draft, systemUser.uid, systemUser.gid);
    await run(binaries.initdb, initdbArguments(draft, durably), systemUser);
    await rename(draft, home);
    await syncFolder(dirname(home));
  } catch (error) {
    // A rival that made the same cluster at the same time has made it as well as this process would have.
    if (await exists(home)) return;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`no database can be made in ${home}: ${reason}; DATABASE_URL can name another one`, {
      cause: error,
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function writePassword(path: string, systemUser: SystemUser | undefined): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  await file.writeFile(`${randomBytes(24).toString('base64url')}\n`);
  if (systemUser) await file.chown(systemUser.uid, systemUser.gid);
  await file.sync();
  await file.close();
}

/** Unicode case rules and byte order, from PostgreSQL itself: the same on every system. */
function initdbArguments(draft: string, durably: boolean): string[] {
  return [
    `--pgdata=${join(draft, 'files')}`,
    `--username=${USER}`,
    `--pwfile=${join(draft, 'password')}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(durably ? [] : ['--no-sync']),
  ];
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync();
  await folder.close();
}

// sun_path holds 104 bytes on some systems, 108 on Linux, one of them NUL.
const LONGEST_SOCKET_PATH = 103;

/** Where PostgreSQL puts its socket, a folder that nobody else may enter; empty where its path would be too long. */
export function socketFolder({ home }: Cluster): string {
  const longest = Buffer.byteLength(join(home, '.s.PGSQL.65535'));
  // PostgreSQL takes a comma for the end of a folder's name.
  return longest > LONGEST_SOCKET_PATH || home.includes(',') ? '' : home;
}

/** Deletes the sockets and their locks of a server that is gone. */
export async function removeSockets({ home }: Cluster): Promise<void> {
  const sockets = (await readdir(home)).filter((name) => name.startsWith('.s.PGSQL.'));
  await Promise.all(sockets.map((name) => rm(join(home, name), { force: true })));
}

/** Deletes what starts that were killed in the midst of making the cluster left beside it. */
export async function removeDrafts({ home }: Cluster): Promise<void> {
  const beside = await readdir(dirname(home));
  const drafts = beside.filter((name) => name.startsWith(`${basename(home)}.`) && isId(name.slice(-36)));
  await Promise.all(drafts.map((name) => rm(join(dirname(home), name), { recursive: true, force: true })));
}

/** The port of the last run, so that the address stays the same as long as nobody else takes it. */
export async function lastPort({ home }: Cluster): Promise<number | undefined> {
  const port = Number(await readFile(join(home, 'port'), 'utf8').catch(() => ''));
  return Number.isInteger(port) && port > 0 ? port : undefined;
}

export async function keepPort({ home }: Cluster, port: number): Promise<void> {
  // Not being able to keep it costs nothing but the same address next time.
  await writeFile(join(home, 'port'), `${port}\n`).catch(() => undefined);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
