import { resetOperator } from '../../../accounts/operators.js';
import { command } from '../command.js';
import { wrongUsage } from '../failures.js';
import { withDatabase } from '../local.js';
import { flag, type PasswordOptions, passwordStdin } from '../options.js';
import { readSecret } from '../secrets.js';

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
    options: [passwordStdin, flag('--from-environment', 'take the password from OPERATOR_PASSWORD')],
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
