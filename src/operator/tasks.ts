import { wholeMillisecond } from '../base/clock.js';
import { notFound } from '../base/errors.js';
import { listBody, pageOf } from '../http/paging.js';
import {
  answerBody,
  completeTask,
  getTask,
  listTasks,
  type PackageAnswer,
  type TaskFilters,
} from '../packages/tasks.js';
import type { OperatorDeps, OperatorHandlers, Schemas } from './deps.js';

type TaskOperation = 'listTasks' | 'getTask' | 'completeTask';

export const tasksHandlers = ({ db, readList }: OperatorDeps): OperatorHandlers<TaskOperation> => ({
  listTasks: async ({ query }) => {
    const page = pageOf(query);
    const tasks = await readList((replica) => listTasks(replica, filtersOf(query), page));
    return { status: 200, body: listBody(tasks, page, toTask) };
  },

  getTask: async ({ params }) => {
    const task = await getTask(db, params.id);
    if (!task) throw notFound('task');
    return { status: 200, body: toTask(task) };
  },

  completeTask: async ({ params, body, ctx }) => {
    return async (trx) => {
      const task = await completeTask(trx, ctx.actor, params.id, body.note);
      return { status: 200, body: toTask(task) };
    };
  },
});

interface FilterQuery {
  state?: 'open' | 'done';
  user_id?: string;
  loggi_key?: string;
  created_to?: string;
}

const filtersOf = ({ state, user_id, loggi_key, created_to }: FilterQuery): TaskFilters => ({
  state,
  accountId: user_id,
  loggiKey: loggi_key,
  createdTo: created_to === undefined ? undefined : wholeMillisecond(created_to),
});

const toTask = (task: PackageAnswer): Schemas['OperatorTask'] => ({
  ...answerBody(task),
  kind: 'answer',
  user_id: task.accountId,
  order_id: task.orderId,
  ...(task.completion && { completed_by: task.completion.by }),
});
