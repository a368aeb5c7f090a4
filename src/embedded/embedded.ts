import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../base/telemetry/log.js';
import { findBinaries } from './binaries.js';
import * as clusters from './cluster.js';
import { occupantOf, vacate } from './occupant.js';
import { launch, StartError, supervise } from './server.js';
import { serverUser } from './system-user.js';

export interface EmbeddedOptions {
  dataDir: string;
  /** The port. The default is the last one if it is free, else any free port. */
  port?: number;
  /** PostgreSQL settings, for example `fsync: 'off'` for a database that may be lost. */
  settings?: Readonly<Record<string, string>>;
  log: Logger;
}

export interface Embedded {
  stop(): Promise<void>;
  url: string;
  nearUrl: string;
}

/**
 * Starts a PostgreSQL in the data directory, and makes it at first use. It is restarted if it dies, and ends with this
 * process. Throws an Error with one line if the directory or the port is in use, or PostgreSQL cannot run.
 */
export async function startEmbedded({ dataDir, port, settings = {}, log }: EmbeddedOptions): Promise<Embedded> {
  const systemUser = await serverUser(join(dataDir, 'postgres'));
  const binaries = await findBinaries(systemUser, log);
  const home = await clusters.homeOf(dataDir, systemUser, log);
  const cluster = await clusters.openCluster({ home, binaries, systemUser, durably: settings['fsync'] !== 'off' });
  await vacate(cluster, log);
  const start = (onPort: number) => launch({ binaries, cluster, systemUser, port: onPort, settings, log });
  const first = await launchOnPort(cluster, port, start).catch(async (error: unknown) => {
    // If another process was faster, that error says more than PostgreSQL's complaint about a lock file.
    await vacate(cluster, log);
    throw error;
  });
  await clusters.removeDrafts(cluster);
  log.info({ path: home, port: first.port }, 'postgres.ready');
  return { ...addressesOf(cluster, first.port), stop: supervise(first.child, () => start(first.port), log) };
}

/**
 * Joins the database of a data directory. `stop` leaves a running one alone. If none runs, it starts one that runs
 * until `stop`.
 */
export async function joinEmbedded({ dataDir, log }: EmbeddedOptions): Promise<Embedded> {
  if (!clusters.hasCluster(dataDir))
    throw new Error(`there is no database in ${dataDir}; set DATA_DIR or DATABASE_URL`);
  const systemUser = await serverUser(join(dataDir, 'postgres'));
  const cluster = await clusters.readCluster(await clusters.homeOf(dataDir, systemUser, log));
  const occupant = await occupantOf(cluster);
  if (!occupant || occupant.orphan) return startEmbedded({ dataDir, log });
  return { ...addressesOf(cluster, occupant.port), stop: async () => undefined };
}

/**
 * The addresses of the database: `url` over TCP for every program, `nearUrl` over a Unix socket if possible, which
 * costs less CPU.
 */
function addressesOf(cluster: clusters.PostgresCluster, port: number) {
  const url = `postgres://${clusters.USER}:${cluster.password}@127.0.0.1:${port}/postgres`;
  const sockets = clusters.socketFolder(cluster);
  return { url, nearUrl: sockets === '' ? url : `${url}?host=${encodeURIComponent(sockets)}` };
}

type Launch = (port: number) => Promise<ChildProcess>;

const ATTEMPTS = 8;

/**
 * Starts on the wanted port, or else on the last or a free one. Throws an Error with one line if the wanted port is in
 * use.
 */
async function launchOnPort(
  cluster: clusters.PostgresCluster,
  wanted: number | undefined,
  launch: Launch,
): Promise<{ child: ChildProcess; port: number }> {
  const last = await clusters.lastPort(cluster);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = wanted ?? ((attempt === 0 && last) || (await freePort()));
    const child = await tryPort(port, launch);
    if (child && wanted === undefined && port !== last) await clusters.keepPort(cluster, port);
    if (child) return { child, port };
    if (wanted !== undefined) throw new Error(`port ${port} of 127.0.0.1 is in use, so PostgreSQL cannot listen on it`);
  }
  throw new Error('no free port of 127.0.0.1 was found for PostgreSQL');
}

/** Starts on the port. Undefined if the port is in use, since another program may have taken it meanwhile. */
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
