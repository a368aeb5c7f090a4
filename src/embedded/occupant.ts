import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../base/telemetry/log.js';
import { type PostgresCluster, removeSockets } from './cluster.js';
import { run } from './system-user.js';

/** The setting on PostgreSQL's command line that names the process that started it. */
export const OWNER_SETTING = 'malote.owner';

/**
 * Stops the server of a cluster whose owner was killed. No data is lost. Throws an Error with one line if it is in use.
 */
export async function vacate(cluster: PostgresCluster, log: Logger): Promise<void> {
  const occupant = await occupantOf(cluster);
  if (!occupant) return;
  const { pid, owner, orphan } = occupant;
  if (!orphan) {
    const user = owner ?? pid;
    throw new Error(`the database in ${cluster.home} is in use by process ${user}; stop it or set another DATA_DIR`);
  }
  log.warn({ pid, owner }, 'postgres.orphan_stopped');
  await end(cluster, pid);
}

/** The PostgreSQL that runs on a cluster. It is an orphan if the process that started it has ended. */
export async function occupantOf(cluster: PostgresCluster) {
  const pidFile = join(cluster.files, 'postmaster.pid');
  // The lines of the file: process id, folder, start time, port, and more.
  const [first, , , port] = (await readFile(pidFile, 'utf8').catch(() => '')).split('\n');
  const pid = Math.abs(Number(first));
  if (!Number.isInteger(pid) || pid === 0) return undefined;
  const running = await processOf(pid);
  if (!running) return undefined;
  if (!running.command.includes(` -D ${cluster.files} `)) {
    // The process id belongs to another program now, or to a zombie. PostgreSQL would refuse to start, because it only
    // checks whether the id is in use. The files stay safe: the shared memory of the old server's last child protects
    // them.
    await rm(pidFile, { force: true });
    await removeSockets(cluster);
    return undefined;
  }
  const owner = new RegExp(`${OWNER_SETTING}=(\\d+) `).exec(running.command)?.[1];
  return {
    pid,
    port: Number(port),
    owner: owner ? Number(owner) : undefined,
    orphan: owner !== undefined && running.parent !== Number(owner),
  };
}

const patienceMs = { SIGINT: 10_000, SIGQUIT: 10_000 };

/**
 * Stops a server by signal: SIGINT is the fast shutdown, SIGQUIT the immediate one. After SIGQUIT the next start
 * recovers from the log.
 */
async function end(cluster: PostgresCluster, pid: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    process.kill(pid, signal);
    const deadline = performance.now() + patienceMs[signal];
    while (performance.now() < deadline) {
      if ((await occupantOf(cluster))?.pid !== pid) return;
      await sleep(20);
    }
  }
  throw new Error(`the PostgreSQL of process ${pid} in ${cluster.home} does not stop`);
}

/** A process: its parent, and its command line with a space after each word. A zombie has an empty one. */
interface Process {
  parent: number;
  command: string;
}

/** Finds a process. Undefined if it does not exist or cannot be seen. */
async function processOf(pid: number): Promise<Process | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);
  if (status === undefined) return process.platform === 'linux' ? undefined : fromPs(pid);
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const parent = Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]);
  return { parent, command: command.replaceAll('\0', ' ') };
}

async function fromPs(pid: number): Promise<Process | undefined> {
  const line = await run('ps', ['-ww', '-o', 'ppid=,args=', '-p', String(pid)]).catch(() => '');
  const match = /^\s*(\d+)\s+(\S.*)$/m.exec(line);
  return match ? { parent: Number(match[1]), command: `${match[2]} ` } : undefined;
}
