import { command, type Mount } from '../command.js';
import { type PasswordOptions, passwordStdin, text } from '../options.js';
import { readSecret } from '../secrets.js';
import { DEFAULT_EMAIL } from '../sign-in.js';

export const login: Mount = command<PasswordOptions & { email?: string }>({
  usage: 'login',
  summary: 'Sign in and keep the token for the next commands.',
  example: 'login --email operator@example.com',
  options: [text('--email <address>', `e-mail address of the operator (default: ${DEFAULT_EMAIL})`), passwordStdin],
  run: async ({ signIn, terminal, print }, { email = DEFAULT_EMAIL, passwordStdin: fromStdin = false }) => {
    await signIn.as(email, await readSecret(terminal, `Password of ${email}`, fromStdin));
    print.say(`Signed in as ${email}.`);
  },
});

export const logout: Mount = command({
  usage: 'logout',
  summary: 'Forget the kept token.',
  example: 'logout',
  run: async ({ signIn, print }) => {
    await signIn.forget();
    print.say('Signed out.');
  },
});
