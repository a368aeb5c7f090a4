import { join } from 'node:path';
import type { Logger } from '../base/log.js';
import { findBinaries } from './binaries.js';
import {
  type Cluster,
  hasCluster,
  homeOf,
  openCluster,
  readCluster,
  removeDrafts,
  socketFolder,
  USER,
} from './cluster.js';
import { occupantOf, vacate } from './occupant.js';
import { launchOnPort } from './port.js';
import { launch } from './server.js';
import { supervise } from './supervise.js';
import { serverUser } from './system-user.js';

export interface EmbeddedOptions {
  dataDir: string;
  /** A free one, the last if possible, unless given. */
  port?: number;
  /** PostgreSQL settings, e.g. `fsync: 'off'` for a database that may be lost. */
  settings?: Readonly<Record<string, string>>;
  log: Logger;
}

export interface Embedded {
  /** By TCP on 127.0.0.1: for every program. */
  url: string;
  /** By a Unix socket, which costs the service and PostgreSQL less; by TCP where there can be none. */
  nearUrl: string;
  /** Shuts PostgreSQL down; resolves when it has ended. */
  stop(): Promise<void>;
}

/**
 * A PostgreSQL of the service's own in the data directory, made on first use and started again if it dies. Its life is
 * tied to this process: it ends with it, however that ends, and a leftover of a killed one is stopped first.
 * Throws an Error of one line when the directory or the port is in use, or PostgreSQL cannot run.
 */
export async function startEmbedded({ dataDir, port, settings = {}, log }: EmbeddedOptions): Promise<Embedded> {
  const systemUser = await serverUser(join(dataDir, 'postgres'));
  const binaries = await findBinaries(systemUser, log);
  const home = await homeOf(dataDir, systemUser, log);
  const cluster = await openCluster(home, binaries, systemUser, settings['fsync'] !== 'off');
  await vacate(cluster, log);
  const start = (onPort: number) => launch({ binaries, cluster, systemUser, port: onPort, settings, log });
  const first = await launchOnPort(cluster, port, start).catch(async (error: unknown) => {
    // A rival may have been faster: that says more than the lock file that PostgreSQL complains of.
    await vacate(cluster, log);
    throw error;
  });
  await removeDrafts(cluster);
  log.info({ path: home, port: first.port }, 'embedded PostgreSQL is ready');
  return { ...addressesOf(cluster, first.port), stop: supervise(first.child, () => start(first.port), log) };
}

/**
 * The database of a data directory, for work beside the service: the one that runs, which `stop` leaves running, or one that runs until
 * then. Throws an Error of one line when the directory holds none.
 */
export async function joinEmbedded({ dataDir, log }: EmbeddedOptions): Promise<Embedded> {
  if (!(await hasCluster(dataDir))) throw new Error(`there is no database in ${dataDir}; set DATA_DIR or DATABASE_URL`);
  const systemUser = await serverUser(join(dataDir, 'postgres'));
  const cluster = await readCluster(await homeOf(dataDir, systemUser, log));
  const occupant = await occupantOf(cluster);
  if (!occupant || occupant.orphan) return startEmbedded({ dataDir, log });
  return { ...addressesOf(cluster, occupant.port), stop: async () => undefined };
}

function addressesOf(cluster: Cluster, port: number): { url: string; nearUrl: string } {
  const url = `postgres://${USER}:${cluster.password}@127.0.0.1:${port}/postgres`;
  const sockets = socketFolder(cluster);
  return { url, nearUrl: sockets === '' ? url : `${url}?host=${encodeURIComponent(sockets)}` };
}
