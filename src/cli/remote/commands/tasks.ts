import { command, oneOf, option, type PageOptions, pageOptions, pageQuery } from '../../command.js';
import { bodyOf } from '../client.js';

interface Filters extends PageOptions {
  state?: 'open' | 'done';
  user?: string;
  package?: string;
  before?: string;
}

const filterQuery = ({ state, user, package: loggiKey, before, ...page }: Filters) => ({
  ...pageQuery(page),
  ...(state !== undefined && { state }),
  ...(user !== undefined && { user_id: user }),
  ...(loggiKey !== undefined && { loggi_key: loggiKey }),
  ...(before !== undefined && { created_to: before }),
});

export const tasks = {
  listTasks: command<Filters>({
    usage: 'tasks list',
    summary: 'List what waits for a person: open tasks from the oldest on, all others newest first.',
    example: 'tasks list --state open --before 2026-11-18T00:00:00Z',
    options: [
      oneOf('--state <state>', 'only tasks in this state', ['open', 'done']),
      option('--user <user>', 'only tasks of this user'),
      option('--package <package>', 'only tasks about this package'),
      option('--before <time>', 'only tasks that came before this time'),
      ...pageOptions,
    ],
    run: async ({ operator, print }, options) => {
      const call = operator.GET('/operator/v1/tasks', { params: { query: filterQuery(options) } });
      print.list(await bodyOf(call), {
        since: (task) => task.created_at,
        package: (task) => task.loggi_key,
        phone: (task) => task.phone,
        address: (task) => task.address?.address,
        instructions: (task) => task.instructions,
        note: (task) => task.note,
        applied: (task) => task.applied.join(' '),
        done: (task) => task.completed_at,
        id: (task) => task.id,
      });
    },
  }),

  getTask: command({
    usage: 'tasks show <task>',
    summary: 'Show a task.',
    example: 'tasks show 01930f63-2a4e-7c31-9b5d-4e6f7a8b9c0d',
    run: async ({ operator, print }, _options, id) => {
      print.record(await bodyOf(operator.GET('/operator/v1/tasks/{id}', { params: { path: { id } } })));
    },
  }),

  completeTask: command<{ note?: string }>({
    usage: 'tasks done <task>',
    summary: 'Note that a task is done.',
    example: "tasks done 01930f63-2a4e-7c31-9b5d-4e6f7a8b9c0d --note 'The courier comes again tomorrow.'",
    options: [option('--note <text>', 'what the shipper of the package is told')],
    run: async ({ operator, print }, { note }, id) => {
      const body = note === undefined ? {} : { note };
      print.record(
        await bodyOf(operator.POST('/operator/v1/tasks/{id}/completion', { params: { path: { id } }, body })),
      );
    },
  }),
};
