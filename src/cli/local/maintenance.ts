import { resetOperator, resetSecondFactor } from '../../accounts/operators.js';
import { keyRingsOf } from '../../base/secrets/keys.js';
import { isCopied, renumber } from '../../db/lists/change-numbers.js';
import type { MigrationEvent } from '../../db/migrations/apply.js';
import { migrate, migrationStatus } from '../../db/migrations/migrate.js';
import { reseal } from '../../db/sealing/reseal.js';
import { sealedTables } from '../../db/tables/sealed.js';
import { command, flag, passwordStdin } from '../command.js';
import { CommandError, wrongUsage } from '../errors.js';
import type { Printer, ProgressAt } from '../printer.js';
import { readSecret } from '../terminal.js';
import { atDatabase, log, onDatabase, withTables } from './database.js';

/** Commands that work on the database itself, before or while the service runs. */
export const migration = command({
  usage: 'migrate',
  summary: `Apply the migrations that the service's database lacks, beside its running processes.

Works on DATABASE_URL, else on the embedded database of DATA_DIR. It may be cut off and run again at any time.`,
  example: '--status',
  options: { status: flag('--status', 'list all migrations, and change nothing') },
  run: async ({ config, print }, { status }) => {
    if (status) return showStatus(print, await onDatabase(config.database(), migrationStatus));
    await atDatabase(config.database(), ({ url, pooled }) =>
      print.progress((at) => migrate(url, log, { pooled, tell: (event) => show(print, at, event) })),
    );
    print.say('The database has every migration of this release.');
  },
});

function show(print: Printer, at: ProgressAt, event: MigrationEvent): void {
  if (event.event === 'waiting') at(0, 'waiting for a table in use');
  else if (event.event === 'progress') at(event.rows, `${event.migration}, ${event.step}: ${event.rows} rows`);
  else {
    const part = event.step === undefined ? '' : `, ${event.step}`;
    print.event(event, `applied ${event.migration}${part} (${event.ms} ms)`);
  }
}

function showStatus(print: Printer, data: Awaited<ReturnType<typeof migrationStatus>>): void {
  print.all(data, [
    'migration',
    'state',
    'applied_at',
    [
      'steps',
      ({ steps }) =>
        steps.map(({ step, finished, rows }) => `${step}: ${finished ? 'done' : `${rows} rows`}`).join('; '),
    ],
  ]);
}

export const keys = {
  reseal: command({
    usage: 'keys reseal',
    summary: `Seal all secrets of the database anew under the first of ENCRYPTION_KEYS, beside its running service.

To replace a key: put the new one first and keep the old one after it, restart every process, run this, then take the old key out.
It may be cut off and run again at any time.`,
    run: async ({ config, print }) => {
      const settings = config.service();
      const { key, resealed, complete } = await withTables(settings, async (db) => {
        const { encryptionKeys: ring } = await keyRingsOf(settings);
        const summary = await print.progress((at) =>
          reseal(db, ring, sealedTables, (looked, { what }) => at(looked, `${looked} ${what} looked at`)),
        );
        return { key: ring[0].id, ...summary };
      });
      print.record({ key, resealed });
      if (complete) return print.say(`Everything is sealed under "${key}"; other keys can be taken out.`);
      throw new CommandError(
        `A running process still seals under another key than "${key}": give it the new ring, then run this again.`,
        1,
      );
    },
  }),
};

export const changes = {
  renumber: command({
    usage: 'changes renumber',
    summary: `Number the changes of orders and packages anew at a copy of a database, beside its running service.

A copy by pg_dump or logical replication has the numbers of the server that it was copied from. Clients that poll with updated_from then read everything once more.
It may be cut off and run again at any time.`,
    options: { anyway: flag('--anyway', 'also where the database says that its numbers are those of this server') },
    run: async ({ config, print }, { anyway = false }) => {
      const renumbered = await withTables(config.database(), async (db) => {
        if (!anyway && !(await isCopied(db))) return undefined;
        return print.progress((at) => renumber(db, (rows, table) => at(rows, `${table}: ${rows} rows looked at`)));
      });
      print.record({ renumbered: renumbered ?? 0 });
      if (renumbered === undefined) return print.say('The numbers are those of this server: nothing changes.');
      print.say('Lists by updated_from go on. Their cursors of before read everything once more.');
    },
  }),
};

/** Commands that work on the database itself, so they help even if no operator can sign in. */
export const operators = {
  resetPassword: command({
    usage: 'operators reset-password <email>',
    summary:
      "Give an operator another password, from beside the service's database. Without --password-stdin or --from-environment it is generated, and shown this once.",
    options: {
      passwordStdin,
      fromEnvironment: flag('--from-environment', 'take the password from OPERATOR_PASSWORD'),
      keepKeys: flag('--keep-keys', 'leave its API keys, and the operator keys that it made'),
    },
    run: async ({ config, terminal, print }, options, email) => {
      const { passwordStdin: fromStdin, fromEnvironment, keepKeys = false } = options;
      if (fromEnvironment && config.operatorPassword === undefined) throw wrongUsage('OPERATOR_PASSWORD is not set.');
      const configured = fromEnvironment ? config.operatorPassword : undefined;
      const password = fromStdin ? await readSecret(terminal, `New password of ${email}`, true) : configured;
      const change = { email, password, keepKeys };
      const reset = await withTables(config.database(), (db) => resetOperator(db, change));
      const { generatedPassword } = reset;
      print.record({ email: reset.email, ...(generatedPassword !== undefined && { password: generatedPassword }) });
      const ended = keepKeys ? ' and its API key' : ', its API key and the operator keys that it made';
      print.say(`Its tokens${ended} have ended, and its budget of failed logins is whole again.`);
      if (generatedPassword !== undefined) print.say('The password is not shown again.');
    },
  }),

  resetSecondFactor: command({
    usage: 'operators reset-second-factor <email>',
    summary:
      "Remove the second factor of an operator who has lost it, from beside the service's database. While the service runs, another operator can: see malote users remove-second-factor.",
    run: async ({ config, print }, _options, email) => {
      print.record(await withTables(config.database(), (db) => resetSecondFactor(db, email)));
      print.say('It signs in with its password alone, and its sessions and tokens have ended.');
    },
  }),
};
