import { command, option, type PageOptions, pageOptions, pageQuery } from '../../command.js';
import { bodyOf } from '../client.js';

interface Filters extends PageOptions {
  operator?: string;
  key?: string;
  operation?: string;
  from?: string;
  to?: string;
}

export const auditLog = {
  listAuditLog: command<Filters>({
    usage: 'audit-log list',
    summary: 'List what operators and their keys did, newest first.',
    example: 'audit-log list --operation deleteUser --from 2026-11-01T00:00:00Z',
    options: [
      option('--operator <user>', 'only what this operator did'),
      option('--key <key>', 'only what was done with this operator key'),
      option('--operation <name>', 'only this operation of the contracts'),
      option('--from <time>', 'only what was done at this time or later'),
      option('--to <time>', 'only what was done before this time'),
      ...pageOptions,
    ],
    run: async ({ operator, print }, { operator: actor, key, operation, from, to, ...page }) => {
      const query = {
        ...pageQuery(page),
        ...(actor !== undefined && { actor_id: actor }),
        ...(key !== undefined && { key_id: key }),
        ...(operation !== undefined && { operation }),
        ...(from !== undefined && { created_from: from }),
        ...(to !== undefined && { created_to: to }),
      };
      print.list(await bodyOf(operator.GET('/operator/v1/audit-log', { params: { query } })), {
        time: (entry) => entry.created_at,
        operation: (entry) => entry.operation,
        operator: (entry) => entry.actor_id,
        key: (entry) => entry.key_id,
        targets: (entry) => Object.values(entry.targets).join(' '),
        made: (entry) => entry.location,
        fields: (entry) => entry.fields.join(' '),
      });
    },
  }),
};
