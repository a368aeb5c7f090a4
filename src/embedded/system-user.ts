import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The user that runs PostgreSQL if the service is root. PostgreSQL refuses to run as root. */
export type SystemUser = Record<'uid' | 'gid', number>;

const exec = promisify(execFile);

// PostgreSQL does not get the environment of the service. Its messages are in English, its clock is UTC.
const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** Options for a process that runs as the system user, or as this user. */
export const processOptions = (systemUser: SystemUser | undefined) => ({ ...systemUser, cwd: '/', env });

/** Runs a program to its end, as the system user if given. Throws an Error with its standard error. */
export async function run(file: string, args: readonly string[], systemUser?: SystemUser): Promise<string> {
  try {
    const { stdout } = await exec(file, args, processOptions(systemUser));
    return stdout;
  } catch (error) {
    const stderr: unknown = error instanceof Error ? Reflect.get(error, 'stderr') : undefined;
    const reason = typeof stderr === 'string' && stderr.trim() !== '' ? stderr.trim() : String(error);
    throw new Error(`${file}: ${reason.replaceAll(/\s*\n\s*/g, '; ')}`, { cause: error });
  }
}

/**
 * The user that runs PostgreSQL: the owner of the database, else `postgres`, which is created if missing. Undefined
 * unless this process is root.
 */
export async function serverUser(existing: string): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(existing).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return (await idsOf('postgres')) ?? (await createPostgres());
}

async function idsOf(name: string): Promise<SystemUser | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid), gid: Number(gid) };
  } catch {
    return undefined;
  }
}

async function createPostgres(): Promise<SystemUser> {
  const useradd = run('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']);
  const cause = await useradd.catch((error) => error);
  // Another process may have created the user at the same time.
  const ids = await idsOf('postgres');
  if (ids) return ids;
  const message = 'PostgreSQL does not run as root and no user postgres could be made';
  throw new Error(`${message}; set DATABASE_URL or start as a plain user`, { cause });
}
