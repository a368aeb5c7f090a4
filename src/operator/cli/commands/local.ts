import { resetOperator } from '../../../accounts/operators.js';
import { keyRingsOf } from '../../../base/keys.js';
import { SealError } from '../../../base/seal.js';
import { reseal } from '../../../db/reseal.js';
import { sealedTables } from '../../deps.js';
import { command, option, type PasswordOptions, passwordStdin } from '../command.js';
import { CommandError, wrongUsage } from '../errors.js';
import { withDatabase } from '../local.js';
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
      })
        .catch((error: unknown) => {
          throw error instanceof SealError ? new CommandError(`${error.message}.`, 1, { cause: error }) : error;
        })
        .finally(() => progress.end());
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
}

/** Commands that work on the database itself, so that they help when nobody can sign in any more. */
export const operators = {
  resetPassword: command<ResetOptions>({
    usage: 'operators reset-password <email>',
    summary:
      "Give an operator another password, from beside the service's database. Shows a generated one, this once, unless one is given.",
    example: 'operators reset-password operator@malote.local',
    options: [passwordStdin, option('--from-environment', 'take the password from OPERATOR_PASSWORD')],
    run: async ({ config, terminal, print }, { passwordStdin: fromStdin, fromEnvironment }, email) => {
      if (fromEnvironment && config.password === undefined) throw wrongUsage('OPERATOR_PASSWORD is not set.');
      const asked = fromEnvironment ? config.password : undefined;
      const password = fromStdin ? await readSecret(terminal, `New password of ${email}`, true) : asked;
      const reset = await withDatabase(config.service(), (db) => resetOperator(db, { email, password }));
      const { generatedPassword } = reset;
      print.record({ email: reset.email, ...(generatedPassword !== undefined && { password: generatedPassword }) });
      print.say('Its tokens and its API key have ended, and its budget of failed logins is whole again.');
      if (generatedPassword !== undefined) print.say('The password is not shown again.');
    },
  }),
};
