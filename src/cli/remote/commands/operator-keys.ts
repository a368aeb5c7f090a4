import { keyScopes } from '../../../base/actor.js';
import { command, oneOf, option, passwordStdin, required } from '../../command.js';
import { operation, table } from '../operation.js';
import { codeOption, proofOf } from './proof.js';

const options = {
  name: required(option('--name <name>', 'what the key is known by')),
  scope: required(oneOf('--scope <scope>', 'what it may do', keyScopes)),
  expires: option('--expires <time>', 'when it ends by itself, e.g. 2027-11-20T12:00:00Z (default: after 90 days)'),
  code: codeOption,
  passwordStdin,
};
export const operatorKeys = {
  createOperatorKey: command({
    usage: 'operator-keys create',
    summary: 'Make a key for a machine; its secret is shown this once.',
    example: "--name 'Scanner of base Guarulhos' --scope movements",
    options,
    run: async (session, given) => {
      const { name, scope, expires, code, passwordStdin: fromStdin = false } = given;
      const proof = scope === 'all' ? await proofOf(session, { code, fromStdin }) : {};
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
    summary: 'List what operators and their keys did, newest first; with --user what was done in one account.',
    example: '--operation deleteUser --from 2026-11-01T00:00:00Z',
    show: table([
      'created_at as time',
      'operation',
      'actor_id as by',
      'key_id as key',
      ['targets', ({ targets }) => Object.values(targets).join(' ')],
      'location as made',
      ['fields', ({ fields }) => fields.join(' ')],
    ]),
  }),
};
