import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, open, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isId } from '../base/ids.js';
import { readOrCreate } from '../base/secrets/read-or-create.js';
import type { Logger } from '../base/telemetry/log.js';
import type { Binaries } from './binaries.js';
import { run, type SystemUser } from './system-user.js';

/** A database. Its folder `home` has PostgreSQL's own `files`, the password and the last port. */
export interface PostgresCluster {
  home: string;
  files: string;
  password: string;
}

export const USER = 'malote';
const DURABLE = '/var/lib/malote';

/**
 * Finds the folder of the database. If the system user cannot enter the data directory, it is below /var/lib/malote,
 * and a file notes where.
 */
export async function homeOf(dataDir: string, systemUser: SystemUser | undefined, log: Logger): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const real = await realpath(dataDir);
  if (!systemUser || (await canEnter(real, systemUser))) return join(real, 'postgres');
  const noted = await readOrCreate(join(real, 'postgres.location'), () => join(DURABLE, randomUUID()));
  const home = noted.trim();
  await mkdir(dirname(home), { recursive: true, mode: 0o755 });
  log.info({ dataDir: real, path: home }, 'postgres.kept_elsewhere');
  return home;
}

export const hasCluster = (dataDir: string): boolean =>
  existsSync(join(dataDir, 'postgres')) || existsSync(join(dataDir, 'postgres.location'));

const canEnter = (folder: string, systemUser: SystemUser): Promise<boolean> =>
  run('sh', ['-c', 'cd -- "$0"', folder], systemUser).then(
    () => true,
    () => false,
  );

interface Making {
  home: string;
  binaries: Binaries;
  systemUser: SystemUser | undefined;
  durably: boolean;
}

/**
 * Opens the cluster in `home`, and makes it if it is missing. If the making is killed, nothing incomplete stays in
 * `home`.
 */
export async function openCluster(making: Making): Promise<PostgresCluster> {
  if (!existsSync(making.home)) await create(making);
  return readCluster(making.home);
}

export async function readCluster(home: string): Promise<PostgresCluster> {
  const password = await readFile(join(home, 'password'), 'utf8');
  return { home, files: join(home, 'files'), password: password.trim() };
}

async function create({ home, binaries, systemUser, durably }: Making): Promise<void> {
  const draft = `${home}.${randomUUID()}`;
  try {
    await mkdir(draft, { mode: 0o700 });
    await writePassword(join(draft, 'password'), systemUser);
    if (systemUser) await chown(draft, systemUser.uid, systemUser.gid);
    await run(binaries.initdb, initdbArguments(draft, durably), systemUser);
    await rename(draft, home);
    await syncFolder(dirname(home));
  } catch (error) {
    // Another process made the cluster at the same time.
    if (existsSync(home)) return;
    const reason = error instanceof Error ? error.message : String(error);
    const message = `no database can be made in ${home}: ${reason}; DATABASE_URL can name another one`;
    throw new Error(message, { cause: error });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function writePassword(path: string, systemUser: SystemUser | undefined): Promise<void> {
  const password = randomBytes(24).toString('base64url');
  await writeFile(path, `${password}\n`, { mode: 0o600, flag: 'wx', flush: true });
  if (systemUser) await chown(path, systemUser.uid, systemUser.gid);
}

/** Arguments for PostgreSQL's own Unicode rules and byte order, which are the same on every system. */
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

// Unix limits a socket path to 104 bytes on some systems and 108 on Linux, including a NUL.
const MAX_SOCKET_PATH_LENGTH = 103;

/** The folder of PostgreSQL's socket. Only its owner may enter it. Empty if the path would be too long. */
export function socketFolder({ home }: PostgresCluster): string {
  const longest = Buffer.byteLength(join(home, '.s.PGSQL.65535'));
  // PostgreSQL reads the setting as a list, so a comma would split the path.
  return longest > MAX_SOCKET_PATH_LENGTH || home.includes(',') ? '' : home;
}

/** Deletes the sockets and lock files of a server that no longer runs. */
export async function removeSockets({ home }: PostgresCluster): Promise<void> {
  const sockets = (await readdir(home)).filter((name) => name.startsWith('.s.PGSQL.'));
  await Promise.all(sockets.map((name) => rm(join(home, name), { force: true })));
}

/** Deletes the drafts of clusters whose making was killed. */
export async function removeDrafts({ home }: PostgresCluster): Promise<void> {
  const beside = await readdir(dirname(home));
  const drafts = beside.filter((name) => name.startsWith(`${basename(home)}.`) && isId(name.slice(-36)));
  await Promise.all(drafts.map((name) => rm(join(dirname(home), name), { recursive: true, force: true })));
}

/** The port of the last run. It is used again if it is free, so that the address stays the same. */
export async function lastPort({ home }: PostgresCluster): Promise<number | undefined> {
  const port = Number(await readFile(join(home, 'port'), 'utf8').catch(() => ''));
  return Number.isInteger(port) && port > 0 ? port : undefined;
}

export async function keepPort({ home }: PostgresCluster, port: number): Promise<void> {
  // If this fails, the next start only gets another address.
  await writeFile(join(home, 'port'), `${port}\n`).catch(() => undefined);
}
