import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../base/log.js';
import { type Cluster, removeSockets } from './cluster.js';
import { processOf } from './process-table.js';

/** Tells PostgreSQL, and so everybody who reads its command line, which process started it. */
export const OWNER_SETTING = 'malote.owner';

/** The PostgreSQL that runs on a cluster. It is an orphan when the process that started it is gone. */
interface Occupant {
  pid: number;
  port: number;
  owner: number | undefined;
  orphan: boolean;
}

/**
 * Makes the cluster free to start on. A server whose owner was killed is stopped, as nothing it acknowledged is lost
 * by that. Throws one line when the cluster is in use.
 */
export async function vacate(cluster: Cluster, log: Logger): Promise<void> {
  const occupant = await occupantOf(cluster);
  if (!occupant) return;
  const { pid, owner, orphan } = occupant;
  if (!orphan) {
    throw new Error(
      `the database in ${cluster.home} is in use by process ${owner ?? pid}; stop it or set another DATA_DIR`,
    );
  }
  log.warn({ pid, owner }, 'stopping a PostgreSQL whose owner ended without stopping it');
  await end(cluster, pid);
}

export async function occupantOf(cluster: Cluster): Promise<Occupant | undefined> {
  const pidFile = join(cluster.files, 'postmaster.pid');
  // Its lines are the process id, the folder, the time of the start, the port, and more.
  const [first, , , port] = (await readFile(pidFile, 'utf8').catch(() => '')).split('\n');
  const pid = Math.abs(Number(first));
  if (!Number.isInteger(pid) || pid === 0) return undefined;
  const running = await processOf(pid);
  if (!running) return undefined;
  if (!running.command.includes(` -D ${cluster.files} `)) {
    // The number, which the socket's lock holds too, is a zombie's or another program's by now. PostgreSQL would not
    // start, as it only looks whether the number is in use. What protects the files besides, the shared memory of a
    // server's last child, stays.
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

/** SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one: the next start then recovers from the log. */
async function end(cluster: Cluster, pid: number): Promise<void> {
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
