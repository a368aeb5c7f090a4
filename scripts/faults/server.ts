import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../src/base/log.js';
import { connect, type Db } from '../../src/db/connect.js';
import { startEmbedded } from '../../src/db/embedded.js';
import { migrate } from '../../src/db/migrate.js';
import { execute, inDatabase } from '../../test/support/database.js';

export interface Database {
  db: Db;
  url: string;
  drop(): Promise<void>;
}

/** A PostgreSQL of the run's own, as durable as the service's. */
export interface Server {
  /** A migrated database that nobody else uses. */
  newDatabase(): Promise<Database>;
  /** The process id of its first process: whoever ends that, ends the server at once. */
  pid(): Promise<number>;
  stop(): Promise<void>;
}

const TEMPLATE = 'malote_template';
// The servers's end is among what is tried, and its being started again.
const log = createLog({ level: 'silent' });

export async function startServer(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'malote-faults-'));
  await chmod(folder, 0o755);
  const server = await startEmbedded({ dataDir: folder, settings: { max_connections: '300' }, log });
  await execute(server.url, `create database ${TEMPLATE}`);
  await migrate(inDatabase(server.url, TEMPLATE), log);
  let made = 0;
  return {
    newDatabase: async () => {
      made += 1;
      const name = `malote_${made}`;
      await execute(server.url, `create database ${name} template ${TEMPLATE}`);
      const url = inDatabase(server.url, name);
      const db = connect({
        url,
        poolSize: 10,
        applicationName: 'malote faults',
        log,
        statementTimeoutMs: 120_000,
        lockTimeoutMs: 30_000,
      });
      const drop = async () => {
        await db.destroy();
        await execute(server.url, `drop database ${name} with (force)`);
      };
      return { db, url, drop };
    },
    pid: async () =>
      Number((await readFile(join(folder, 'postgres', 'files', 'postmaster.pid'), 'utf8')).split('\n')[0]),
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
