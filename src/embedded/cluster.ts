import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, open, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isId } from '../base/ids.js';
import { readOrCreate } from '../base/secrets/read-or-create.js';
import type { Logger } from '../base/telemetry/log.js';
import type { Binaries } from './binaries.js';
import { run, type SystemUser } from './system-user.js';

/** A database: the folder `home` holds PostgreSQL's own `files`, the password and the last port. */
export interface PostgresCluster {
  home: string;
  files: string;
  password: string;
}

export const USER = 'malote';
const DURABLE = '/var/lib/malote';

/** Folder of the database: under /var/lib/malote, as a file notes, if that user cannot enter the data directory. */
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

/** Opens the cluster in `home`, made first if it is missing. A kill while it is made leaves no trace under `home`. */
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
    // Another process made it at the same time.
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
const MAX_SOCKET_PATH_LENGTH = 103;

/** Folder of PostgreSQL's socket, which only its owner may enter; empty where its path would be too long. */
export function socketFolder({ home }: PostgresCluster): string {
  const longest = Buffer.byteLength(join(home, '.s.PGSQL.65535'));
  // PostgreSQL reads a list of folders.
  return longest > MAX_SOCKET_PATH_LENGTH || home.includes(',') ? '' : home;
}

/** Deletes the sockets and their locks of a server that is gone. */
export async function removeSockets({ home }: PostgresCluster): Promise<void> {
  const sockets = (await readdir(home)).filter((name) => name.startsWith('.s.PGSQL.'));
  await Promise.all(sockets.map((name) => rm(join(home, name), { force: true })));
}

/** Deletes the drafts of starts that were killed while they made the cluster. */
export async function removeDrafts({ home }: PostgresCluster): Promise<void> {
  const beside = await readdir(dirname(home));
  const drafts = beside.filter((name) => name.startsWith(`${basename(home)}.`) && isId(name.slice(-36)));
  await Promise.all(drafts.map((name) => rm(join(dirname(home), name), { recursive: true, force: true })));
}

/** Port of the last run, so that the address stays the same while it is free. */
export async function lastPort({ home }: PostgresCluster): Promise<number | undefined> {
  const port = Number(await readFile(join(home, 'port'), 'utf8').catch(() => ''));
  return Number.isInteger(port) && port > 0 ? port : undefined;
}

export async function keepPort({ home }: PostgresCluster, port: number): Promise<void> {
  // Without it the next start has another address.
  await writeFile(join(home, 'port'), `${port}\n`).catch(() => undefined);
}
