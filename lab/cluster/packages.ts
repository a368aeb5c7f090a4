import { execFile } from 'node:child_process';
import { access, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Debian's packages, each with a program that shows whether it is installed. */
const debianPackages = {
  'etcd-server': '/usr/bin/etcd',
  haproxy: '/usr/sbin/haproxy',
  pgbackrest: '/usr/bin/pgbackrest',
  pgbouncer: '/usr/sbin/pgbouncer',
  'postgresql-15': '/usr/lib/postgresql/15/bin/postgres',
  'redis-server': '/usr/bin/redis-server',
  'python3-venv': '/usr/share/doc/python3-venv',
  faketime: '/usr/bin/faketime',
  tini: '/usr/bin/tini',
  prometheus: '/usr/bin/prometheus',
  'prometheus-node-exporter': '/usr/bin/prometheus-node-exporter',
};
const pythonPackages = ['patroni[etcd3,psycopg3]==4.1.5', 'psycopg[binary]'];

/** A folder that PostgreSQL's user may read. Root's home is not such a folder. */
const cache = process.getuid?.() === 0 ? '/var/cache/malote' : join(homedir(), '.cache/malote');

/** Folders of the cluster's programs, searched before those of PATH. */
export const programFolders: readonly string[] = [
  join(cache, 'patroni/bin'),
  '/usr/lib/postgresql/15/bin',
  '/usr/sbin',
  '/usr/bin',
];

type Say = (line: string) => void;

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Installs the cluster's missing programs: Debian's packages (as root), and a folder of Python's packages. */
export async function installPackages(say: Say): Promise<void> {
  await installMissing(debianPackages, say);
  await pythonWith('patroni', pythonPackages, say);
}

/** Installs `promtool`, which checks alert rules. It is in Debian's package `prometheus`. */
export async function installPromtool(say: Say): Promise<void> {
  const { prometheus } = debianPackages;
  await installMissing({ prometheus }, say);
}

/** Resolves to the path of a Python with these packages of PyPI, in a folder of the cache. */
export async function pythonWith(
  name: string,
  packages: readonly string[],
  say: Say,
  system = '/usr/bin/python3',
): Promise<string> {
  const python = join(cache, name, 'bin/python3');
  if (await exists(join(cache, name, 'complete'))) return python;
  say(`installing ${packages.join(', ')} into ${join(cache, name)}`);
  await execute(system, ['-m', 'venv', '--clear', join(cache, name)]);
  await execute(python, ['-m', 'pip', 'install', '--quiet', ...packages]);
  await writeFile(join(cache, name, 'complete'), '');
  return python;
}

async function installMissing(packages: Readonly<Record<string, string>>, say: Say): Promise<void> {
  const missing: string[] = [];
  for (const [name, path] of Object.entries(packages)) if (!(await exists(path))) missing.push(name);
  if (missing.length > 0) await installDebian(missing, say);
}

async function installDebian(names: readonly string[], say: Say): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error(`install these packages first: apt-get install ${names.join(' ')}`);
  say(`installing ${names.join(', ')} of Debian`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await execute('apt-get', ['update', '--quiet'], { env });
  await execute('apt-get', ['install', '--quiet', '--yes', '--no-install-recommends', ...names], { env });
}
