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
import { readSecret } from '../../terminal.js';
import { bodyOf } from '../client.js';

const scopes = ['movements', 'read', 'all'] as const;

interface NewKey extends PasswordOptions {
  name: string;
  scope: (typeof scopes)[number];
  expires?: string;
  code?: string;
}

/** That it is the operator who makes a key which may do everything: a code, else the password. */
async function proofOf({ config, terminal }: Session, { code, passwordStdin: fromStdin = false }: NewKey) {
  if (code !== undefined) return { code };
  const configured = fromStdin ? undefined : config.credentials.password;
  return { current_password: configured ?? (await readSecret(terminal, 'Your password', fromStdin)) };
}

export const operatorKeys = {
  createOperatorKey: command<NewKey>({
    usage: 'operator-keys create',
    summary: 'Make a key for a machine; its secret is shown this once.',
    example: "operator-keys create --name 'Scanner of base Guarulhos' --scope movements",
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
      session.print.record(await bodyOf(session.operator.POST('/operator/v1/operator-keys', { body })));
    },
  }),

  listOperatorKeys: command<PageOptions & { operator?: string }>({
    usage: 'operator-keys list',
    summary: 'List the keys of machines, newest first.',
    example: 'operator-keys list',
    options: [option('--operator <user>', 'only those that this operator made'), ...pageOptions],
    run: async ({ operator, print }, { operator: maker, ...page }) => {
      const query = { ...pageQuery(page), ...(maker !== undefined && { created_by: maker }) };
      print.list(await bodyOf(operator.GET('/operator/v1/operator-keys', { params: { query } })), {
        id: (key) => key.id,
        name: (key) => key.name,
        scope: (key) => key.scope,
        'made by': (key) => key.created_by,
        'last used': (key) => key.last_used_at,
        expires: (key) => key.expires_at,
        revoked: (key) => key.revoked_at,
        'second factor': (key) => key.second_factor,
      });
    },
  }),

  getOperatorKey: command({
    usage: 'operator-keys show <key>',
    summary: 'Show the key of a machine, without its secret.',
    example: 'operator-keys show 01930f74-6c1f-7a02-8d35-3f2e1d0c9b8a',
    run: async ({ operator, print }, _options, id) => {
      print.record(await bodyOf(operator.GET('/operator/v1/operator-keys/{id}', { params: { path: { id } } })));
    },
  }),

  revokeOperatorKey: command({
    usage: 'operator-keys revoke <key>',
    summary: 'End the key of a machine, everywhere within a second.',
    example: 'operator-keys revoke 01930f74-6c1f-7a02-8d35-3f2e1d0c9b8a',
    run: async ({ operator, print }, _options, id) => {
      const params = { path: { id } };
      print.record(await bodyOf(operator.POST('/operator/v1/operator-keys/{id}/revocation', { params })));
    },
  }),
};
