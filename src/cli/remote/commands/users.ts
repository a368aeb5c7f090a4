import type { Role } from '../../../base/actor.js';
import { command, flag, type OptionsOf, oneOf, option, passwordStdin, required, type Session } from '../../command.js';
import { wrongUsage } from '../../errors.js';
import { readSecret } from '../../terminal.js';
import { type AnswerOf, answerOf } from '../client.js';
import { operation, table } from '../operation.js';
import { codeOption, proofOf } from './proof.js';

const roles: readonly Role[] = ['operator', 'customer'];

const search = ['--search <text>', 'part of the name or of the e-mail address'] as const;

const showUsers = table<AnswerOf<'getUser'>>([
  'id',
  'email',
  'name',
  'phone',
  'phone_confirmed as confirmed',
  'tax_id',
  'role',
]);

const profileOptions = {
  email: required(option('--email <address>', 'e-mail address to sign in with')),
  name: required(option('--name <name>', 'name of the account holder')),
  phone: required(option('--phone <number>', 'telephone number')),
  tax_id: option('--tax-id <number>', 'CPF or CNPJ'),
  support_contact: option('--support-contact <contact>', 'link, e-mail address or phone that recipients see'),
  passwordStdin,
  code: codeOption,
};
type NewUser = OptionsOf<typeof profileOptions> & { role?: Role };

async function create(session: Session, { passwordStdin: fromStdin = false, code, ...user }: NewUser) {
  const { call, terminal, print } = session;
  const password = await readSecret(terminal, `Password of ${user.email}`, fromStdin);
  const needsProof = user.role === 'operator';
  const proof = needsProof ? await proofOf(session, { code }) : {};
  print.record(await call('createUser', { body: { ...user, password, ...proof } }));
}

export const users = {
  listUsers: operation('listUsers', 'users list', {
    summary: 'List users, newest first.',
    example: '--search souza',
    options: { search },
    show: showUsers,
  }),
  createUser: command({
    usage: 'users create',
    summary: 'Create a user with its first payment method.',
    example: "--email ana@example.com --name 'Ana Souza' --phone '+55 11 91234-5678'",
    options: { ...profileOptions, role: oneOf('--role <role>', 'what the user may do (default: customer)', roles) },
    run: create,
  }),
  getUser: operation('getUser', 'users show <user>', { summary: 'Show a user.' }),
  updateUser: command({
    usage: 'users update <user>',
    summary:
      'Change the e-mail address, the name, the phone, the tax id, the contact for recipients, the role or the password of a user; other values stay.',
    example: "ana@example.com --name 'Ana Souza Lima'",
    options: {
      email: option('--email <address>', 'new e-mail address'),
      name: option('--name <name>', 'new name'),
      phone: option('--phone <number>', 'new telephone number'),
      tax_id: option('--tax-id <number>', 'new CPF or CNPJ; an empty one takes it away'),
      support_contact: option(
        '--support-contact <contact>',
        'new link, e-mail address or phone that recipients see; an empty one takes it away',
      ),
      role: oneOf('--role <role>', 'what the user may do', roles),
      passwordStdin,
      keepKeys: flag('--keep-keys', 'with another password: leave its API keys, and the operator keys that it made'),
      code: codeOption,
    },
    run: async (session, { passwordStdin: fromStdin, keepKeys, code, ...changes }, id) => {
      const { call, send, print, terminal } = session;
      if (!fromStdin && Object.keys(changes).length === 0) throw wrongUsage('Say what to change: see --help.');
      const password = fromStdin ? { password: await readSecret(terminal, 'Password', true) } : {};
      const needsProof = fromStdin || changes.role !== undefined || changes.email !== undefined;
      const proof = needsProof ? await proofOf(session, { code }) : {};
      const kept = keepKeys ? { keep_operator_keys: true, keep_api_keys: true } : {};
      const current = await send('getUser', { path: { id } });
      // The ETag prevents overwriting a change that somebody else made meanwhile.
      const ifMatch = current.headers.get('etag') ?? '*';
      const { email, name, phone } = await answerOf<'getUser'>(current);
      const body = { email, name, phone, ...changes, ...password, ...kept, ...proof };
      print.record(await call('updateUser', { path: { id }, ifMatch, body }));
    },
  }),
  deleteUser: operation('deleteUser', 'users delete <user>', {
    summary: 'Delete a user: it can sign in no more, and its webhook endpoints end. Its orders stay.',
    says: (_answer, id) =>
      `Deleted. Its personal data is erased after ERASE_AFTER_DAYS, unless: malote users hold ${id}`,
  }),
  reactivateUser: command({
    usage: 'users reactivate <deleted-user>',
    summary:
      'Let a deleted user sign in again, with a new password. Endpoints, keys and second factor do not come back.',
    example: 'ana@example.com',
    options: { passwordStdin, code: codeOption },
    run: async (session, { passwordStdin: fromStdin = false, code }, id) => {
      const { call, terminal, print } = session;
      const password = await readSecret(terminal, 'New password', fromStdin);
      const proof = await proofOf(session, { code });
      print.record(await call('reactivateUser', { path: { id }, body: { password, ...proof } }));
    },
  }),
  listPaymentMethods: operation('listPaymentMethods', 'payment-methods list <user>', {
    summary: 'List the payment methods of a user, oldest first.',
    show: table(['id', 'kind', 'label', 'created_at as since']),
  }),
  getPaymentMethod: operation('getPaymentMethod', 'payment-methods show <user> <payment-method>', {
    summary: 'Show a payment method of a user.',
  }),
  addPaymentMethod: operation('addPaymentMethod', 'payment-methods add <user>', {
    summary: 'Give a user another payment method.',
    example: "ana@example.com --kind credit_card --label 'Visa final 1234'",
    options: {
      kind: ['--kind <kind>', 'kind of payment'],
      label: ['--label <text>', 'what the user knows it by'],
    },
  }),
  listNames: operation('listNames', 'names show', {
    summary: 'Name the users, orders, packages, webhook endpoints and operator keys of these ids.',
    show: (print, { data }) => print.rows(data, ['id', 'kind', 'name', 'email']),
  }),
  confirmPhone: operation('confirmPhone', 'phones confirm <user>', {
    summary: "State that a user's phone is its own, so that the API key is given out.",
  }),
  getFiscalRule: operation('getFiscalRule', 'fiscal-rules show <user>', {
    summary: 'Show whether new packages of a user need a fiscal document.',
  }),
  setFiscalRule: operation('setFiscalRule', 'fiscal-rules set <user>', {
    summary: 'Decide whether new packages of a user need a fiscal document, or a reason why they have none.',
    example: 'ana@example.com --rule required',
    options: { rule: ['--rule <rule>', "default: the service's FISCAL_DOCUMENT"] },
  }),
  rotateApiKey: operation('rotateApiKey', 'api-keys rotate <user>', {
    summary: "Void a user's API key without a name; the user obtains the new one by signing in.",
    options: { overlap_seconds: ['--overlap <seconds>', 'for how long the present one stays valid, up to 7 days'] },
  }),
  listUserApiKeys: operation('listUserApiKeys', 'api-keys list <user>', {
    summary: 'List the named API keys of a user, newest first.',
    show: table(['id', 'name', 'scope', 'created_at as made', 'expires_at as expires', 'revoked_at as revoked']),
  }),
  revokeUserApiKey: operation('revokeUserApiKey', 'api-keys revoke <user> <key>', {
    summary: 'End a named API key of a user and its tokens, everywhere within a second.',
    says: 'Revoked.',
  }),
  removeSecondFactor: operation('removeSecondFactor', 'users remove-second-factor <user>', {
    summary:
      'Remove the lost second factor of another operator, and end its sessions and tokens. It takes your own second factor.',
    example: 'rui@example.com',
    says: 'Removed.',
  }),
};

export const operatorAccounts = {
  list: operation('listUsers', 'operators list', {
    summary: 'List operators, newest first.',
    options: { search },
    fixed: { role: 'operator' },
    show: showUsers,
  }),
  add: command({
    usage: 'operators add',
    summary: 'Create an operator, who may do all that these commands do. "malote users delete" takes it away again.',
    example: "--email bia@example.com --name 'Bia Reis' --phone '+55 11 91234-5678'",
    options: profileOptions,
    run: (session, options) => create(session, { ...options, role: 'operator' }),
  }),
};
