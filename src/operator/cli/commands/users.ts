import type { Role } from '../../../base/actor.js';
import { bodyOf } from '../client.js';
import {
  command,
  type Mount,
  oneOf,
  option,
  type PageOptions,
  type PasswordOptions,
  pageOptions,
  pageQuery,
  passwordStdin,
  required,
} from '../command.js';
import { DEFAULT_EMAIL } from '../sign-in.js';
import { readSecret } from '../terminal.js';

const roles: readonly Role[] = ['operator', 'customer'];

/** The operations of the REST interface that an operator begins with. */
export const users = {
  listUsers: command<PageOptions & { search?: string }>({
    usage: 'users list',
    summary: 'List users, newest first.',
    example: 'users list --search souza',
    options: [option('--search <text>', 'part of the name or of the e-mail address'), ...pageOptions],
    run: async ({ rest, print }, { search, ...page }) => {
      const query = { ...pageQuery(page), ...(search !== undefined && { search }) };
      print.list(await bodyOf(rest.GET('/api/v1/users', { params: { query } })), {
        id: (user) => user.id,
        email: (user) => user.email,
        name: (user) => user.name,
        phone: (user) => user.phone,
        confirmed: (user) => user.phone_confirmed,
        role: (user) => user.role,
      });
    },
  }),

  createUser: command<PasswordOptions & { email: string; name: string; phone: string; role?: Role }>({
    usage: 'users create',
    summary: 'Create a user with its first payment method.',
    example: "users create --email ana@example.com --name 'Ana Souza' --phone '+55 11 91234-5678'",
    options: [
      required(option('--email <address>', 'e-mail address to sign in with')),
      required(option('--name <name>', 'name of the account holder')),
      required(option('--phone <number>', 'telephone number')),
      oneOf('--role <role>', 'what the user may do (default: customer)', roles),
      passwordStdin,
    ],
    run: async ({ rest, terminal, print }, { passwordStdin: fromStdin = false, ...user }) => {
      const password = await readSecret(terminal, `Password of ${user.email}`, fromStdin);
      print.record(await bodyOf(rest.POST('/api/v1/users', { body: { ...user, password } })));
    },
  }),
};

export const login: Mount = command<PasswordOptions & { email?: string }>({
  usage: 'login',
  summary: 'Sign in and store the token for the next commands.',
  example: 'login --email operator@example.com',
  options: [option('--email <address>', `e-mail address of the operator (default: ${DEFAULT_EMAIL})`), passwordStdin],
  run: async ({ signIn, terminal, print }, { email = DEFAULT_EMAIL, passwordStdin: fromStdin = false }) => {
    await signIn.as(email, await readSecret(terminal, `Password of ${email}`, fromStdin));
    print.say(`Signed in as ${email}.`);
  },
});

export const logout: Mount = command({
  usage: 'logout',
  summary: 'Forget the stored token.',
  example: 'logout',
  run: async ({ signIn, print }) => {
    await signIn.forget();
    print.say('Signed out.');
  },
});
