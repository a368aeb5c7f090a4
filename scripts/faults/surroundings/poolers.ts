import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A PgBouncer that can be started. */
export interface PoolerProgram {
  version: string;
  command: readonly [string, ...string[]];
}

// What the program of Debian 13 is linked with, so that it runs on an older system too.
const packages = [
  'pgbouncer',
  'libc6',
  'libevent-2.1-7t64',
  'libcares2',
  'libssl3t64',
  'libpam0g',
  'libldap2',
  'libsystemd0',
  'libaudit1',
  'libsasl2-2',
  'libcap-ng0',
  'libcap2',
  'libzstd1',
];
const LIBRARIES = 'usr/lib/x86_64-linux-gnu';

/** PgBouncer 1.24 of Debian 13, unpacked into a folder of its own; rejects where that cannot be had. */
async function newerPooler(): Promise<readonly [string, ...string[]]> {
  const folder = join(tmpdir(), 'malote-pgbouncer-1.24');
  const root = join(folder, 'root');
  const command = [
    join(root, LIBRARIES, 'ld-linux-x86-64.so.2'),
    '--library-path',
    join(root, LIBRARIES),
    join(root, 'usr/sbin/pgbouncer'),
  ] as const;
  const isThere = await run(command[0], [...command.slice(1), '--version']).catch(() => undefined);
  if (isThere) return command;
  await rm(folder, { recursive: true, force: true });
  for (const name of ['lists', 'cache', 'root']) await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, 'sources.list'), 'deb [trusted=yes] http://deb.debian.org/debian trixie main\n');
  const places = {
    'Dir::Etc::sourcelist': 'sources.list',
    'Dir::State::lists': 'lists',
    'Dir::Cache': 'cache',
  };
  const options = Object.entries(places).flatMap(([name, path]) => ['-o', `${name}=${join(folder, path)}`]);
  const apt = (...args: string[]) =>
    run('apt-get', ['-qq', ...options, '-o', 'Dir::Etc::sourceparts=/dev/null', '-o', 'APT::Sandbox::User=', ...args], {
      cwd: folder,
    });
  await apt('update');
  await apt('download', ...packages);
  const archives = (await readdir(folder)).filter((name) => name.endsWith('.deb'));
  for (const archive of archives) await run('dpkg', ['-x', join(folder, archive), root]);
  return command;
}

async function programOf(command: readonly [string, ...string[]]): Promise<PoolerProgram> {
  const { stdout } = await run(command[0], [...command.slice(1), '--version']);
  return { version: /PgBouncer (\S+)/.exec(stdout)?.[1] ?? 'of no known version', command };
}

/** The PgBouncers that this machine has or can fetch: the installed one, and one that keeps prepared statements. */
export async function poolerPrograms(): Promise<PoolerProgram[]> {
  const newer = await newerPooler().catch(() => undefined);
  const programs = await Promise.allSettled(
    [['/usr/sbin/pgbouncer'] as const, ...(newer ? [newer] : [])].map(programOf),
  );
  return programs.flatMap((program) => (program.status === 'fulfilled' ? [program.value] : []));
}
