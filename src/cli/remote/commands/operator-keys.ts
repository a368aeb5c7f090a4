import { keyScopes } from '../../../base/actor.js';
import { command, type OptionsOf, oneOf, option, passwordStdin, required, type Session } from '../../command.js';
import { readSecret } from '../../terminal.js';
import { operation, table } from '../operation.js';

const options = {
  name: required(option('--name <name>', 'what the key is known by')),
  scope: required(oneOf('--scope <scope>', 'what it may do', keyScopes)),
  expires: option('--expires <time>', 'when it ends by itself, e.g. 2027-11-20T12:00:00Z (default: after 90 days)'),
  code: option('--code <code>', 'code of your second factor, for scope all, in place of your password'),
  passwordStdin,
};
type NewKey = OptionsOf<typeof options>;

/** Proves that it is the operator who makes a key which may do everything: a code, else the password. */
async function proofOf({ config, terminal }: Session, { code, passwordStdin: fromStdin = false }: NewKey) {
  if (code !== undefined) return { code };
  const configured = fromStdin ? undefined : config.credentials.password;
  return { current_password: configured ?? (await readSecret(terminal, 'Your password', fromStdin)) };
}

export const operatorKeys = {
  createOperatorKey: command({
    usage: 'operator-keys create',
    summary: 'Make a key for a machine; its secret is shown this once.',
    example: "--name 'Scanner of base Guarulhos' --scope movements",
    options,
    run: async (session, given) => {
      const { name, scope, expires } = given;
      const proof = scope === 'all' ? await proofOf(session, given) : {};
      const body = { name, scope, ...(expires !== undefined && { expires_at: expires }), ...proof };
      session.print.record(await session.call('createOperatorKey', { body }));
    },
  }),
  listOperatorKeys: operation('listOperatorKeys', 'operator-keys list', {
    summary: 'List the keys of machines, newest first.',
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
  listAuditLog: operation('listAuditLog', 'audit-log list', {
    summary: 'List what operators and their keys did, newest first.',
    example: '--operation deleteUser --from 2026-11-01T00:00:00Z',
    show: table([
      'created_at as time',
      'operation',
      'actor_id as operator',
      'key_id as key',
      ['targets', ({ targets }) => Object.values(targets).join(' ')],
      'location as made',
      ['fields', ({ fields }) => fields.join(' ')],
    ]),
  }),
};
