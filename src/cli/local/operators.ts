import { resetOperator, resetSecondFactor } from '../../accounts/operators.js';
import { command, flag, passwordStdin } from '../command.js';
import { wrongUsage } from '../errors.js';
import { readSecret } from '../terminal.js';
import { withTables } from './database.js';

/** Commands that work on the database itself, so that they help when no operator can sign in any more. */
export const operators = {
  resetPassword: command({
    usage: 'operators reset-password <email>',
    summary:
      "Give an operator another password, from beside the service's database. Without --password-stdin or --from-environment it is generated, and shown this once.",
    options: {
      passwordStdin,
      fromEnvironment: flag('--from-environment', 'take the password from OPERATOR_PASSWORD'),
      keepKeys: flag('--keep-keys', 'leave the operator keys that it made'),
    },
    run: async ({ config, terminal, print }, options, email) => {
      const { passwordStdin: fromStdin, fromEnvironment, keepKeys = false } = options;
      if (fromEnvironment && config.operatorPassword === undefined) throw wrongUsage('OPERATOR_PASSWORD is not set.');
      const configured = fromEnvironment ? config.operatorPassword : undefined;
      const password = fromStdin ? await readSecret(terminal, `New password of ${email}`, true) : configured;
      const change = { email, password, keepOperatorKeys: keepKeys };
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
