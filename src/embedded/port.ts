import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { keepPort, lastPort, type PostgresCluster } from './cluster.js';
import { StartError } from './server.js';

type Launch = (port: number) => Promise<ChildProcess>;

const ATTEMPTS = 8;

/** Starts on the wanted port, else on the last one or a free one. Throws one line when the wanted one is taken. */
export async function launchOnPort(
  cluster: PostgresCluster,
  wanted: number | undefined,
  launch: Launch,
): Promise<{ child: ChildProcess; port: number }> {
  const last = await lastPort(cluster);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = wanted ?? ((attempt === 0 && last) || (await freePort()));
    const child = await tryPort(port, launch);
    if (child && wanted === undefined && port !== last) await keepPort(cluster, port);
    if (child) return { child, port };
    if (wanted !== undefined) throw new Error(`port ${port} of 127.0.0.1 is in use, so PostgreSQL cannot listen on it`);
  }
  throw new Error('no free port of 127.0.0.1 was found for PostgreSQL');
}

/** Undefined when the port is taken, which may happen between its choice and the start. */
async function tryPort(port: number, launch: Launch, patience = 50): Promise<ChildProcess | undefined> {
  try {
    return await launch(port);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    if (error.portTaken) return undefined;
    if (!error.dying || patience === 0) throw error;
    await sleep(100);
    return tryPort(port, launch, patience - 1);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || !address) throw new Error('no port of 127.0.0.1 is free');
  return address.port;
}
