import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './port.js';

/** A PgBouncer of its own, on a free port. */
export interface Pooler {
  /** The address of the database by way of the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

interface PoolerOptions {
  /** The program and what comes before its own arguments. */
  command: readonly [string, ...string[]];
  /** Where the database is reached without the pooler. */
  target: string;
  /** Connections to the database: fewer than its clients have, so that these change places. */
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
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Starts it in transaction mode with its own defaults. Throws when it does not answer within five seconds. */
export async function startPooler(options: PoolerOptions): Promise<Pooler> {
  const folder = await mkdtemp(join(tmpdir(), 'malote-pgbouncer-'));
  // It refuses to run as root, and reads its files as the user that it becomes.
  await chmod(folder, 0o777);
  const port = await freePort();
  const url = new URL(options.target);
  url.host = `127.0.0.1:${port}`;
  await writeFile(join(folder, 'users.txt'), `"${url.username}" ""\n`);
  await writeFile(join(folder, 'pgbouncer.ini'), settings(options, port, folder));
  const [program, ...before] = options.command;
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(program, [...before, '-q', ...user, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' });
  const stop = async () => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  for (let tries = 0; !(await answers(url.href)); tries += 1) {
    if (tries < 2_000) {
      await sleep(50);
      continue;
    }
    await stop();
    throw new Error('pgbouncer does not answer');
  }
  return { url: url.href, stop };
}
