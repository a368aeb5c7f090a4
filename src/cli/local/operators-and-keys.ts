import { sql } from 'kysely';
import { resetOperator, resetSecondFactor } from '../../accounts/operators.js';
import type { CliConfig } from '../../base/cli-config.js';
import { ServiceError } from '../../base/errors.js';
import { keyRingsOf } from '../../base/keys.js';
import { createLog } from '../../base/log.js';
import { SealError } from '../../base/seal.js';
import { connect, type Db } from '../../db/connect.js';
import { isUnavailable } from '../../db/errors.js';
import { MigrationError } from '../../db/migrations/migration.js';
import { type Access, probeAccess } from '../../db/pooler.js';
import { reseal } from '../../db/reseal.js';
import { sealedTables } from '../../db/tables/sealed.js';
import { joinEmbedded } from '../../embedded/embedded.js';
import { command, option, type PasswordOptions, passwordStdin } from '../command.js';
import { CommandError, reasonOf, wrongUsage } from '../errors.js';
import { readSecret } from '../terminal.js';

export const keys = {
  reseal: command({
    usage: 'keys reseal',
    summary: `Seal all secrets of the database anew under the first of ENCRYPTION_KEYS, beside its running service.

To replace a key: put the new one first and keep the old one after it, restart every process, run this, then take the old key out.
It may be cut off and run again at any time.`,
    example: 'keys reseal',
    run: async ({ config, print }) => {
      const settings = config.service();
      const progress = print.progress();
      const { key, summary } = await withDatabase(settings, async (db) => {
        const { encryptionKeys: ring } = await keyRingsOf(settings);
        const summary = await reseal(db, ring, sealedTables, (looked, { what }) =>
          progress.at(looked, `${looked} ${what} looked at`),
        );
        return { key: ring[0].id, summary };
      }).finally(() => progress.end());
      print.record({ key, resealed: summary.resealed });
      if (summary.complete) return print.say(`Everything is sealed under "${key}"; other keys can be taken out.`);
      throw new CommandError(
        `A running process still seals under another key than "${key}": give it the new ring, then run this again.`,
        1,
      );
    },
  }),
};

interface ResetOptions extends PasswordOptions {
  fromEnvironment?: boolean;
  keepKeys?: boolean;
}

/** Commands that work on the database itself, so that they help when nobody can sign in any more. */
export const operators = {
  resetPassword: command<ResetOptions>({
    usage: 'operators reset-password <email>',
    summary:
      "Give an operator another password, from beside the service's database. Without --password-stdin or --from-environment it is generated, and shown this once.",
    example: 'operators reset-password operator@malote.local',
    options: [
      passwordStdin,
      option('--from-environment', 'take the password from OPERATOR_PASSWORD'),
      option('--keep-keys', 'leave the operator keys that it made'),
    ],
    run: async (
      { config, terminal, print },
      { passwordStdin: fromStdin, fromEnvironment, keepKeys = false },
      email,
    ) => {
      if (fromEnvironment && config.operatorPassword === undefined) throw wrongUsage('OPERATOR_PASSWORD is not set.');
      const configured = fromEnvironment ? config.operatorPassword : undefined;
      const password = fromStdin ? await readSecret(terminal, `New password of ${email}`, true) : configured;
      const change = { email, password, keepOperatorKeys: keepKeys };
      const reset = await withDatabase(config.database(), (db) => resetOperator(db, change));
      const { generatedPassword } = reset;
      print.record({ email: reset.email, ...(generatedPassword !== undefined && { password: generatedPassword }) });
      const ended = keepKeys
        ? 'Its tokens and its API key'
        : 'Its tokens, its API key and the operator keys that it made';
      print.say(`${ended} have ended, and its budget of failed logins is whole again.`);
      if (generatedPassword !== undefined) print.say('The password is not shown again.');
    },
  }),

  resetSecondFactor: command({
    usage: 'operators reset-second-factor <email>',
    summary:
      "Remove the second factor of an operator who has lost it, from beside the service's database. While the service runs, another operator can: see malote users remove-second-factor.",
    example: 'operators reset-second-factor operator@malote.local',
    run: async ({ config, print }, _options, email) => {
      print.record(await withDatabase(config.database(), (db) => resetSecondFactor(db, email)));
      print.say('It signs in with its password alone, and its sessions and tokens have ended.');
    },
  }),
};

const log = createLog({ level: 'silent' });

type Place = ReturnType<CliConfig['database']>;

/**
 * Runs a command's work on the service's database, whether the service runs or not: that of `DATABASE_URL`, else the embedded one of
 * `DATA_DIR`. Throws CommandError when there is no such database, or for a ServiceError or SealError of the work.
 */
export async function onDatabase<T>(place: Place, work: (db: Db) => Promise<T>): Promise<T> {
  const { stop, ...access } = await accessOf(place);
  const db = connect({ ...access, poolSize: 4, applicationName: 'malote cli', log, connectionTimeoutMs: 10_000 });
  try {
    return await work(db);
  } catch (error) {
    throw failureOf(error);
  } finally {
    await db.destroy();
    await stop();
  }
}

/** Likewise on a database that has the tables of this version; throws CommandError for another. */
const withDatabase = <T>(place: Place, work: (db: Db) => Promise<T>): Promise<T> =>
  onDatabase(place, async (db) => {
    await demandTables(db);
    return work(db);
  });

type Reached = Access & { url: string; stop: () => Promise<void> };

/** The configured database, else the embedded one, started for the command if it does not run; `stop` leaves it as it was. */
export async function accessOf({ databaseUrl, dataDir }: Place): Promise<Reached> {
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

/** The error of a command that works on the database. */
export function failureOf(error: unknown): unknown {
  if (error instanceof ServiceError) {
    const details = error.details.map(({ field, message }) => ` ${field} ${message}.`);
    return new CommandError(`${error.code}: ${error.message}${details.join('')}`, 1, { cause: error });
  }
  if (error instanceof SealError || error instanceof MigrationError)
    return new CommandError(`${error.message}.`, 1, { cause: error });
  return isUnavailable(error) ? unusable(error) : error;
}
