import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, keepPort, lastPort } from './cluster.js';
import { StartError } from './server.js';

/** A server and the port of 127.0.0.1 that it listens on. */
export interface Listening {
  child: ChildProcess;
  port: number;
}

type Launch = (port: number) => Promise<ChildProcess>;

/** Starts on the wanted port, or else on the last one or one that is free. Throws one line when the wanted one is taken. */
export async function launchOnPort(cluster: Cluster, wanted: number | undefined, launch: Launch): Promise<Listening> {
  if (wanted !== undefined) {
    const child = await tryPort(wanted, launch);
    if (!child) throw new Error(`port ${wanted} of 127.0.0.1 is in use, so PostgreSQL cannot listen on it`);
    return { child, port: wanted };
  }
  const last = await lastPort(cluster);
  const listening = await firstOf(last, launch);
  if (listening.port !== last) await keepPort(cluster, listening.port);
  return listening;
}

async function firstOf(last: number | undefined, launch: Launch): Promise<Listening> {
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const port = (attempt === 0 && last) || (await freePort());
    const child = await tryPort(port, launch);
    if (child) return { child, port };
  }
  throw new Error('no free port of 127.0.0.1 was found for PostgreSQL');
}

/** Undefined when the port is taken: somebody else may take it between the choice and the start. */
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
