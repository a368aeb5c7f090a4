import { command, oneOf, option, type PasswordOptions, passwordStdin, required, type Session } from '../../command.js';
import { readSecret } from '../../terminal.js';
import { operation, table } from '../operation.js';

const scopes = ['movements', 'read', 'all'] as const;

interface NewKey extends PasswordOptions {
  name: string;
  scope: (typeof scopes)[number];
  expires?: string;
  code?: string;
}

/** Proves that it is the operator who makes a key which may do everything: a code, else the password. */
async function proofOf({ config, terminal }: Session, { code, passwordStdin: fromStdin = false }: NewKey) {
  if (code !== undefined) return { code };
  const configured = fromStdin ? undefined : config.credentials.password;
  return { current_password: configured ?? (await readSecret(terminal, 'Your password', fromStdin)) };
}

export const operatorKeys = {
  createOperatorKey: command<NewKey>({
    usage: 'operator-keys create',
    summary: 'Make a key for a machine; its secret is shown this once.',
    example: "--name 'Scanner of base Guarulhos' --scope movements",
    options: [
      required(option('--name <name>', 'what the key is known by')),
      required(oneOf('--scope <scope>', 'what it may do', scopes)),
      option('--expires <time>', 'when it ends by itself, e.g. 2027-11-20T12:00:00Z (default: after 90 days)'),
      option('--code <code>', 'code of your second factor, for scope all, in place of your password'),
      passwordStdin,
    ],
    run: async (session, options) => {
      const { name, scope, expires } = options;
      const proof = scope === 'all' ? await proofOf(session, options) : {};
      const body = { name, scope, ...(expires !== undefined && { expires_at: expires }), ...proof };
      session.print.record(await session.call('createOperatorKey', { body }));
    },
  }),
  listOperatorKeys: operation('listOperatorKeys', 'operator-keys list', {
    summary: 'List the keys of machines, newest first.',
    options: { created_by: ['--operator <user>', 'only those that this operator made'] },
    show: table([
      'id',
      'name',
      'scope',
      'created_by as made by',
      'last_used_at as last used',
      'expires_at as expires',
      'revoked_at as revoked',
      'second_factor',
    ]),
  }),
  getOperatorKey: operation('getOperatorKey', 'operator-keys show <key>', {
    summary: 'Show the key of a machine, without its secret.',
  }),
  revokeOperatorKey: operation('revokeOperatorKey', 'operator-keys revoke <key>', {
    summary: 'End the key of a machine, everywhere within a second.',
  }),
};
