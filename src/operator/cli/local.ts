import { sql } from 'kysely';
import type { Config } from '../../base/config.js';
import { ServiceError } from '../../base/errors.js';
import { createLog } from '../../base/log.js';
import { connect, type Db } from '../../db/connect.js';
import { isUnavailable } from '../../db/errors.js';
import { type Access, probeAccess } from '../../db/pooler.js';
import { joinEmbedded } from '../../embedded/embedded.js';
import { CommandError, reasonOf } from './failures.js';

const log = createLog({ level: 'silent' });

/**
 * Runs a command's work on the service's database, whether the service runs or not: that of `DATABASE_URL`, else the embedded one of
 * `DATA_DIR`. Throws CommandError when there is no such database, or for a ServiceError of the work.
 */
export async function withDatabase<T>(config: Config, work: (db: Db) => Promise<T>): Promise<T> {
  const { stop, ...access } = await accessOf(config);
  const db = connect({ ...access, poolSize: 4, applicationName: 'malote cli', log, connectionTimeoutMs: 10_000 });
  try {
    await demandTables(db);
    return await work(db);
  } catch (error) {
    throw failureOf(error);
  } finally {
    await db.destroy();
    await stop();
  }
}

type Reached = Access & { url: string; stop: () => Promise<void> };

async function accessOf({ databaseUrl, dataDir }: Config): Promise<Reached> {
  const failed = (cause: unknown): never => {
    throw new CommandError(`No database: ${reasonOf(cause)}.`, 3, { cause });
  };
  if (databaseUrl) {
    const access = await probeAccess(databaseUrl, log).catch(failed);
    return { ...access, url: databaseUrl, stop: async () => undefined };
  }
  const { nearUrl, stop } = await joinEmbedded({ dataDir, log }).catch(failed);
  return { pooled: false, prepared: true, url: nearUrl, stop };
}

async function demandTables(db: Db): Promise<void> {
  const query = sql<{ ready: boolean }>`select to_regclass('sealing_keys') is not null as ready`;
  const { rows } = await query.execute(db).catch((error: unknown) => {
    throw unusable(error);
  });
  if (!rows[0]?.ready) {
    throw new CommandError('The database lacks the tables of this version: start the service on it first.', 1);
  }
}

const unusable = (cause: unknown) => new CommandError(`The database cannot be used: ${reasonOf(cause)}.`, 3, { cause });

function failureOf(error: unknown): unknown {
  if (error instanceof ServiceError) {
    const details = error.details.map(({ field, message }) => ` ${field} ${message}.`);
    return new CommandError(`${error.code}: ${error.message}${details.join('')}`, 1, { cause: error });
  }
  return isUnavailable(error) ? unusable(error) : error;
}
