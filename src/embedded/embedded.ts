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
  /** The last one or another that is free unless given. */
  port?: number;
  /** PostgreSQL settings, e.g. `fsync: 'off'` for a database that may be lost. */
  settings?: Readonly<Record<string, string>>;
  log: Logger;
}

export interface Embedded {
  stop(): Promise<void>;
  url: string;
  nearUrl: string;
}

/**
 * Starts a PostgreSQL in the data directory, made on first use, and again if it dies; it ends with this process. Throws
 * an Error of one line when the directory or the port is in use, or PostgreSQL cannot run.
 */
export async function startEmbedded({ dataDir, port, settings = {}, log }: EmbeddedOptions): Promise<Embedded> {
  const systemUser = await serverUser(join(dataDir, 'postgres'));
  const binaries = await findBinaries(systemUser, log);
  const home = await clusters.homeOf(dataDir, systemUser, log);
  const cluster = await clusters.openCluster({ home, binaries, systemUser, durably: settings['fsync'] !== 'off' });
  await vacate(cluster, log);
  const start = (onPort: number) => launch({ binaries, cluster, systemUser, port: onPort, settings, log });
  const first = await launchOnPort(cluster, port, start).catch(async (error: unknown) => {
    // Another process may have been faster, which says more than PostgreSQL's complaint of a lock file.
    await vacate(cluster, log);
    throw error;
  });
  await clusters.removeDrafts(cluster);
  log.info({ path: home, port: first.port }, 'postgres.ready');
  return { ...addressesOf(cluster, first.port), stop: supervise(first.child, () => start(first.port), log) };
}

/** Joins the database of a data directory: a running one, which `stop` leaves, or one that runs until then. */
export async function joinEmbedded({ dataDir, log }: EmbeddedOptions): Promise<Embedded> {
  if (!clusters.hasCluster(dataDir))
    throw new Error(`there is no database in ${dataDir}; set DATA_DIR or DATABASE_URL`);
  const systemUser = await serverUser(join(dataDir, 'postgres'));
  const cluster = await clusters.readCluster(await clusters.homeOf(dataDir, systemUser, log));
  const occupant = await occupantOf(cluster);
  if (!occupant || occupant.orphan) return startEmbedded({ dataDir, log });
  return { ...addressesOf(cluster, occupant.port), stop: async () => undefined };
}

/** `url` is by TCP, for every program; `nearUrl` by a Unix socket, which costs less CPU, where there can be one. */
function addressesOf(cluster: clusters.PostgresCluster, port: number) {
  const url = `postgres://${clusters.USER}:${cluster.password}@127.0.0.1:${port}/postgres`;
  const sockets = clusters.socketFolder(cluster);
  return { url, nearUrl: sockets === '' ? url : `${url}?host=${encodeURIComponent(sockets)}` };
}

type Launch = (port: number) => Promise<ChildProcess>;

const ATTEMPTS = 8;

/** Starts on the wanted port, else on the last one or a free one. Throws one line when the wanted one is taken. */
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
