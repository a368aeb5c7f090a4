import { operation, table } from '../operation.js';

export const tasks = {
  listTasks: operation('listTasks', 'tasks list', {
    summary: 'List what waits for a person: open tasks from the oldest on, all others newest first.',
    example: '--state open --before 2026-11-18T00:00:00Z',
    options: {
      state: ['--state <state>', 'only tasks in this state'],
      user_id: ['--user <user>', 'only tasks of this user'],
      loggi_key: ['--package <package>', 'only tasks about this package'],
      created_to: ['--before <time>', 'only tasks that came before this time'],
    },
    show: table([
      'created_at as since',
      'loggi_key as package',
      'phone',
      ['address', ({ address }) => address?.address],
      'instructions',
      'note',
      ['applied', ({ applied }) => applied.join(' ')],
      'completed_at as done',
      'id',
    ]),
  }),
  getTask: operation('getTask', 'tasks show <task>', { summary: 'Show a task.' }),
  completeTask: operation('completeTask', 'tasks done <task>', {
    summary: 'Note that a task is done.',
    example: "01930f63-2a4e-7c31-9b5d-4e6f7a8b9c0d --note 'The courier comes again tomorrow.'",
    options: { note: ['--note <text>', 'what the shipper of the package is told'] },
  }),
};
