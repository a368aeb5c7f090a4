import { command, option, passwordStdin, required, type Session } from '../../command.js';
import { askSecret, readSecret } from '../../terminal.js';
import type { BodyOf } from '../client.js';
import { DEFAULT_EMAIL } from '../credentials.js';
import { passwordOf } from './proof.js';

type FirstCode = Pick<BodyOf<'confirmSecondFactor'>, 'enrolment' | 'code'>;

async function confirm(session: Session, first: FirstCode, fromStdin = false): Promise<void> {
  const { call, print, signIn } = session;
  const body = { ...first, current_password: await passwordOf(session, fromStdin) };
  const confirmed = await call('confirmSecondFactor', { body });
  await signIn.replaceToken(confirmed);
  print.record({ recovery_codes: confirmed.recovery_codes });
  print.say(
    'The second factor is in force. Keep these codes: each is good once in place of the app, and they are not shown again.',
  );
  print.say('Operator keys that you made without it only read from now on: make them anew.');
}

export const signIns = {
  signIn: command({
    usage: 'login',
    summary: `Sign in and store the token for the next commands.

An operator who has a second factor is asked for its code; where there is no terminal, MALOTE_CODE holds it. Without the code the token only reads.`,
    example: '--email operator@example.com',
    options: {
      email: option(
        '--email <address>',
        `e-mail address to sign in with (default: MALOTE_EMAIL, else OPERATOR_EMAIL, else ${DEFAULT_EMAIL})`,
      ),
      passwordStdin,
    },
    run: async ({ signIn, terminal, print, config }, { email: named, passwordStdin: fromStdin = false }) => {
      const { email: configured, password, setting } = config.credentials;
      const email = named ?? configured ?? DEFAULT_EMAIL;
      const { lacksCode } = await signIn.as(email, await readSecret(terminal, `Password of ${email}`, fromStdin));
      print.say(`Signed in as ${email}${lacksCode ? ', without its second factor: the token only reads' : ''}.`);
      if (password !== undefined) print.say(`${setting} is set, too: the next commands sign in with it.`);
    },
  }),

  beginSecondFactor: command({
    usage: 'second-factor begin',
    summary:
      'Set up a second factor of your own: shows what an authenticator app reads, and asks for its first code and your password. Without a terminal, "malote second-factor confirm" follows within 10 minutes.',
    run: async (session) => {
      const { call, print, terminal } = session;
      const begun = await call('beginSecondFactor', {});
      print.record(begun);
      if (!terminal.stdin.isTTY) return;
      await confirm(session, { enrolment: begun.enrolment, code: await askSecret(terminal, 'Code of the app') });
    },
  }),

  confirmSecondFactor: command({
    usage: 'second-factor confirm',
    summary:
      'Put the second factor that was begun in force, by a first code of the app and your password; shows recovery codes, this once.',
    example: '--enrolment AQJrMQ… --code 492039',
    options: {
      enrolment: required(option('--enrolment <text>', 'what "malote second-factor begin" showed')),
      code: required(option('--code <digits>', '6 digits that the app shows')),
      passwordStdin,
    },
    run: (session, { passwordStdin: fromStdin, ...first }) => confirm(session, first, fromStdin),
  }),
};

export const logout = command({
  usage: 'logout',
  summary: 'Forget the stored token.',
  run: async ({ signIn, print }) => {
    await signIn.forget();
    print.say('Signed out.');
  },
});
