import { sql } from 'kysely';
import { ServiceError } from '../../base/errors.js';
import { SealError } from '../../base/secrets/seal.js';
import { createLog } from '../../base/telemetry/log.js';
import { connect, type Db } from '../../db/connect.js';
import { type Access, probeAccess } from '../../db/connection/pooler.js';
import { isUnavailable } from '../../db/errors.js';
import { MigrationError } from '../../db/migrations/migration.js';
import { scalar } from '../../db/one-row.js';
import { joinEmbedded } from '../../embedded/embedded.js';
import type { Session } from '../command.js';
import { CommandError, reasonOf } from '../errors.js';

export const log = createLog({ level: 'silent' });

type Place = ReturnType<Session['config']['database']>;
type Reached = Access & { url: string; stop: () => Promise<void> };

/**
 * Reaches the configured database, or else the embedded one. The embedded one is started if it does not run. `stop`
 * leaves it as it was before.
 */
export async function accessOf({ databaseUrl, dataDir }: Place): Promise<Reached> {
  const failed = (cause: unknown): never => {
    const reason = reasonOf(cause);
    const hint = reason.endsWith('no encryption') ? ' Let DATABASE_URL end with ?sslmode=verify-full.' : '';
    throw new CommandError(`No database: ${reason}.${hint}`, 3, { cause });
  };
  if (databaseUrl) {
    const access = await probeAccess(databaseUrl, log).catch(failed);
    return { ...access, url: databaseUrl, stop: async () => undefined };
  }
  const { nearUrl, stop } = await joinEmbedded({ dataDir, log }).catch(failed);
  return { pooled: false, prepared: true, url: nearUrl, stop };
}

/**
 * Works on the service's database, whether the service runs or not. Throws CommandError for a failure that a person can
 * repair.
 */
export async function atDatabase<T>(place: Place, work: (access: Reached) => Promise<T>): Promise<T> {
  const access = await accessOf(place);
  try {
    return await work(access);
  } catch (error) {
    throw failureOf(error);
  } finally {
    await access.stop();
  }
}

/** Does the same with a connection. */
export const onDatabase = <T>(place: Place, work: (db: Db) => Promise<T>): Promise<T> =>
  atDatabase(place, async (access) => {
    const db = connect({ ...access, poolSize: 4, applicationName: 'malote cli', log, connectionTimeoutMs: 10_000 });
    return work(db).finally(() => db.destroy());
  });

/** Does the same on a database that already has the tables of this version. */
export const withTables = <T>(place: Place, work: (db: Db) => Promise<T>): Promise<T> =>
  onDatabase(place, async (db) => {
    const isThere = sql<boolean>`to_regclass('sealing_keys') is not null`;
    const isReady = await scalar(db, isThere).catch((error: unknown) => {
      throw unusable(error);
    });
    if (isReady) return work(db);
    throw new CommandError('The database lacks the tables of this version: start the service on it first.', 1);
  });

const unusable = (cause: unknown) => new CommandError(`The database cannot be used: ${reasonOf(cause)}.`, 3, { cause });

function failureOf(error: unknown): unknown {
  if (error instanceof ServiceError) {
    const details = error.details.map(({ field, message }) => ` ${field} ${message}.`);
    return new CommandError(`${error.code}: ${error.message}${details.join('')}`, 1, { cause: error });
  }
  if (error instanceof SealError || error instanceof MigrationError)
    return new CommandError(`${error.message}.`, 1, { cause: error });
  return isUnavailable(error) ? unusable(error) : error;
}
