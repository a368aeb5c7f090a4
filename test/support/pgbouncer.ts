import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute } from './database.js';
import { freePort } from './port.js';
import { startProgram } from './processes/program.js';

/** A new PgBouncer on a free port. */
export type Pooler = Awaited<ReturnType<typeof startPooler>>;

interface PoolerOptions {
  /** The program, and arguments that come before its own. */
  command: readonly [string, ...string[]];
  /** The address of the database without the pooler. */
  target: string;
  /** The number of connections to the database. It is smaller than that of clients, so that clients share them. */
  connections: number;
}

function settings({ target, connections }: PoolerOptions, port: number, folder: string): string {
  const { hostname, port: targetPort, username, password, pathname } = new URL(target);
  const login = `user=${username} password=${decodeURIComponent(password)}`;
  return `[databases]
${pathname.slice(1)} = host=${hostname} port=${targetPort || 5432} dbname=${pathname.slice(1)} ${login}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 200
logfile = ${join(folder, 'log')}
pidfile = ${join(folder, 'pid')}
`;
}

async function answers(url: string): Promise<boolean> {
  await execute(url, 'select 1');
  return true;
}

/** Starts PgBouncer in transaction mode with its defaults. Throws if it does not answer. */
export async function startPooler(options: PoolerOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'malote-pgbouncer-'));
  // PgBouncer does not run as root. It reads its files as another user.
  await chmod(folder, 0o777);
  const port = await freePort();
  const url = new URL(options.target);
  url.host = `127.0.0.1:${port}`;
  await writeFile(join(folder, 'users.txt'), `"${url.username}" ""\n`);
  await writeFile(join(folder, 'pgbouncer.ini'), settings(options, port, folder));
  const [program, ...before] = options.command;
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const command = [program, ...before, '-q', ...user, join(folder, 'pgbouncer.ini')] as const;
  const remove = () => rm(folder, { recursive: true, force: true });
  const started = startProgram(command, {}, () => answers(url.href));
  const { signal } = await started.catch((error: unknown) => remove().then(() => Promise.reject(error)));
  // The address of the database by way of the pooler.
  return { url: url.href, stop: () => signal().then(remove) };
}
