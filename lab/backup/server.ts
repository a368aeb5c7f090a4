import { execFile } from 'node:child_process';
import { access, chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { serverUser } from '../../src/embedded/system-user.js';
import { freePort } from '../../test/support/port.js';
import { startProgram } from '../../test/support/processes/program.js';

/** Debian's PostgreSQL, whose log pgBackRest archives. */
export interface ArchivedServer {
  url: string;
  backUp(): Promise<void>;
  /** The log segment that PostgreSQL writes to now. */
  segment(): Promise<string>;
  /** True if the archive holds a later segment. Then a restore can reach any time within this one. */
  hasArchived(segment: string): Promise<boolean>;
  /** Kills PostgreSQL and removes all its files. */
  destroy(): Promise<void>;
  /** Restores the backup up to the time. Resolves when PostgreSQL accepts writes again. */
  restore(time: Date): Promise<void>;
  stop(): Promise<void>;
}

/** The newest version that Debian's pgBackRest supports. */
const PROGRAMS = '/usr/lib/postgresql/15/bin';

const packages = { 'postgresql-15': `${PROGRAMS}/postgres`, pgbackrest: '/usr/bin/pgbackrest' };

/** Debian's packages that are needed but not installed. */
export async function missingPackages(): Promise<string[]> {
  const missing = Object.entries(packages).map(([name, program]) =>
    access(program).then(
      () => [],
      () => [name],
    ),
  );
  return (await Promise.all(missing)).flat();
}

const configuration = (folder: string, port: number) => `[global]
repo1-path=${folder}/repository
repo1-retention-full=2
compress-type=lz4
start-fast=y
log-level-file=off
lock-path=${folder}/lock
spool-path=${folder}/spool
log-level-console=warn
[malote]
pg1-path=${folder}/data
pg1-port=${port}
pg1-socket-path=${folder}
pg1-user=malote
`;

export async function openArchivedServer(archiveSeconds: number): Promise<ArchivedServer> {
  const folder = await mkdtemp(join(tmpdir(), 'malote-backup-'));
  const data = join(folder, 'data');
  const user = await serverUser(folder);
  await chmod(folder, 0o755);
  if (user) await chown(folder, user.uid, user.gid);
  const port = await freePort();
  const url = `postgres://malote@127.0.0.1:${port}/postgres`;
  await writeFile(join(folder, 'pgbackrest.conf'), configuration(folder, port));

  const run = (program: string, ...args: string[]) => promisify(execFile)(program, args, { ...user, cwd: '/' });
  const backRest = (...args: string[]) =>
    run('pgbackrest', `--config=${folder}/pgbackrest.conf`, '--stanza=malote', ...args);

  const launch = () => {
    const options = { ...user, cwd: '/', log: join(folder, 'postgres.log') };
    const args = serverArguments(folder, port, archiveSeconds);
    return startProgram([`${PROGRAMS}/postgres`, '-D', data, ...args], options, () => isWritable(url));
  };

  await run(`${PROGRAMS}/initdb`, '-D', data, '-U', 'malote', '--auth=trust', '--no-sync');
  let server = await launch();
  await backRest('stanza-create');

  return {
    url,
    backUp: async () => void (await backRest('--type=full', 'backup')),
    segment: async () => {
      const text = 'select pg_walfile_name(pg_current_wal_insert_lsn()) as name';
      return (await rowsOf<{ name: string }>(url, text))[0]?.name ?? '';
    },
    hasArchived: async (segment) => {
      const text = 'select coalesce(last_archived_wal > $1, false) as archived from pg_stat_archiver';
      return (await rowsOf<{ archived: boolean }>(url, text, [segment]))[0]?.archived === true;
    },
    destroy: async () => {
      await server.signal('SIGQUIT');
      await rm(data, { recursive: true, force: true });
    },
    restore: async (time) => {
      await mkdir(data, { mode: 0o700 });
      if (user) await chown(data, user.uid, user.gid);
      await backRest(
        '--type=time',
        `--target=${time.toISOString().replace('T', ' ').replace('Z', '+00')}`,
        '--target-action=promote',
        'restore',
      );
      server = await launch();
    },
    stop: async () => {
      await server.signal('SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function serverArguments(folder: string, port: number, archiveSeconds: number): string[] {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    archive_mode: 'on',
    archive_command: `pgbackrest --config=${folder}/pgbackrest.conf --stanza=malote archive-push %p`,
    // Seconds after which a segment is archived though it is not full.
    archive_timeout: archiveSeconds,
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function isWritable(url: string): Promise<boolean> {
  const [row] = await rowsOf<{ recovers: boolean }>(url, 'select pg_is_in_recovery() as recovers');
  return row?.recovers === false;
}

/** The rows of one statement, on a new connection. */
export async function rowsOf<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
