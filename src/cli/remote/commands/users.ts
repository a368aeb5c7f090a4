import type { components } from '../../../../generated/rest.js';
import type { Role } from '../../../base/actor.js';
import {
  command,
  oneOf,
  option,
  type PageOptions,
  type PasswordOptions,
  pageOptions,
  pageQuery,
  passwordStdin,
  required,
  type Session,
} from '../../command.js';
import { wrongUsage } from '../../errors.js';
import type { Columns } from '../../printer.js';
import { readSecret } from '../../terminal.js';
import { bodyOf, done } from '../client.js';

const roles: readonly Role[] = ['operator', 'customer'];

type User = components['schemas']['User'];

const columns: Columns<User> = {
  id: (user) => user.id,
  email: (user) => user.email,
  name: (user) => user.name,
  phone: (user) => user.phone,
  confirmed: (user) => user.phone_confirmed,
  role: (user) => user.role,
};

interface Filters extends PageOptions {
  search?: string;
  role?: Role;
}

async function list({ rest, print }: Session, { search, role, ...page }: Filters): Promise<void> {
  const query = { ...pageQuery(page), ...(search !== undefined && { search }), ...(role && { role }) };
  print.list(await bodyOf(rest.GET('/api/v1/users', { params: { query } })), columns);
}

interface NewUser extends PasswordOptions {
  email: string;
  name: string;
  phone: string;
  role?: Role;
}

async function create({ rest, terminal, print }: Session, { passwordStdin: fromStdin = false, ...user }: NewUser) {
  const password = await readSecret(terminal, `Password of ${user.email}`, fromStdin);
  print.record(await bodyOf(rest.POST('/api/v1/users', { body: { ...user, password } })));
}

const searchOption = option('--search <text>', 'part of the name or of the e-mail address');
const roleOption = oneOf('--role <role>', 'what the user may do', roles);
const newUserOptions = [
  required(option('--email <address>', 'e-mail address to sign in with')),
  required(option('--name <name>', 'name of the account holder')),
  required(option('--phone <number>', 'telephone number')),
  passwordStdin,
];

/** Names the record as it was read, so that a change by somebody else meanwhile is not overwritten. */
async function readUser({ rest }: Session, id: string) {
  const call = rest.GET('/api/v1/users/{id}', { params: { path: { id } } });
  const user = await bodyOf(call);
  return { user, etag: (await call).response.headers.get('etag') ?? '*' };
}

/** The operations of the REST interface on users. */
export const users = {
  listUsers: command<Filters>({
    usage: 'users list',
    summary: 'List users, newest first.',
    example: 'users list --search souza',
    options: [searchOption, oneOf('--role <role>', 'only users of this role', roles), ...pageOptions],
    run: list,
  }),

  createUser: command<NewUser>({
    usage: 'users create',
    summary: 'Create a user with its first payment method.',
    example: "users create --email ana@example.com --name 'Ana Souza' --phone '+55 11 91234-5678'",
    options: [...newUserOptions, oneOf('--role <role>', 'what the user may do (default: customer)', roles)],
    run: create,
  }),

  getUser: command({
    usage: 'users show <user>',
    summary: 'Show a user.',
    example: 'users show ana@example.com',
    run: async (session, _options, id) => session.print.record((await readUser(session, id)).user),
  }),

  updateUser: command<Partial<NewUser> & { keepKeys?: boolean }>({
    usage: 'users update <user>',
    summary:
      'Change the e-mail address, the name, the phone, the role or the password of a user; what is left out stays.',
    example: "users update ana@example.com --name 'Ana Souza Lima'",
    options: [
      option('--email <address>', 'new e-mail address'),
      option('--name <name>', 'new name'),
      option('--phone <number>', 'new telephone number'),
      roleOption,
      passwordStdin,
      option('--keep-keys', 'with another password: leave the operator keys that the user made'),
    ],
    run: async (session, { passwordStdin: fromStdin, keepKeys, ...changes }, id) => {
      if (!fromStdin && Object.keys(changes).length === 0) throw wrongUsage('Say what to change: see --help.');
      const password = fromStdin ? { password: await readSecret(session.terminal, 'Password', true) } : {};
      const kept = keepKeys ? { keep_operator_keys: true } : {};
      const { user, etag } = await readUser(session, id);
      const { email, name, phone } = user;
      const params = { path: { id }, header: { 'If-Match': etag } };
      const body = { email, name, phone, ...changes, ...password, ...kept };
      session.print.record(await bodyOf(session.rest.PUT('/api/v1/users/{id}', { params, body })));
    },
  }),

  deleteUser: command({
    usage: 'users delete <user>',
    summary: 'Delete a user: it can sign in no more, and its webhook endpoints end. Its orders stay.',
    example: 'users delete ana@example.com',
    run: async ({ rest, print }, _options, id) => {
      await done(rest.DELETE('/api/v1/users/{id}', { params: { path: { id } } }));
      print.say(`Deleted. Its personal data is erased after ERASE_AFTER_DAYS, unless: malote users hold ${id}`);
    },
  }),
};

export const operatorAccounts = {
  list: command<PageOptions & { search?: string }>({
    usage: 'operators list',
    summary: 'List operators, newest first.',
    example: 'operators list',
    options: [searchOption, ...pageOptions],
    run: (session, options) => list(session, { ...options, role: 'operator' }),
  }),

  add: command<NewUser>({
    usage: 'operators add',
    summary: 'Create an operator, who may do all that these commands do. "malote users delete" takes it away again.',
    example: "operators add --email bia@example.com --name 'Bia Reis' --phone '+55 11 91234-5678'",
    options: newUserOptions,
    run: (session, options) => create(session, { ...options, role: 'operator' }),
  }),
};
