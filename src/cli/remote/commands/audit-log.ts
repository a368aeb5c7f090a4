import { operation, table } from '../operation.js';

export const auditLog = {
  listAuditLog: operation('listAuditLog', 'audit-log list', {
    summary: 'List what operators and their keys did, newest first.',
    example: '--operation deleteUser --from 2026-11-01T00:00:00Z',
    options: {
      actor_id: ['--operator <user>', 'only what this operator did'],
      key_id: ['--key <key>', 'only what was done with this operator key'],
      operation: ['--operation <name>', 'only this operation of the contracts'],
      created_from: ['--from <time>', 'only what was done at this time or later'],
      created_to: ['--to <time>', 'only what was done before this time'],
    },
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
