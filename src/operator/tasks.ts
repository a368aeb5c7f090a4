import { wholeMillisecond } from '../base/clock.js';
import { notFound } from '../base/errors.js';
import type { NoKey } from '../base/every-key.js';
import { listBody, pageOf } from '../http/paging.js';
import {
  answerBody,
  completeTask,
  getTask,
  listTasks,
  type PackageAnswer,
  type TaskFilters,
} from '../packages/tasks.js';
import type { Bodies, Filters, OperatorDeps, OperatorHandlers } from './deps.js';

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

  completeTask: async ({ params, body: { note, ...others }, ctx }) => {
    others satisfies NoKey;
    return async (trx) => {
      const task = await completeTask(trx, ctx.actor, params.id, note);
      return { status: 200, body: toTask(task) };
    };
  },
});

function filtersOf({ state, user_id, loggi_key, created_to, ...others }: Filters<'listTasks'>): TaskFilters {
  others satisfies NoKey;
  const createdTo = created_to === undefined ? undefined : wholeMillisecond(created_to);
  return { state, accountId: user_id, loggiKey: loggi_key, createdTo };
}

const toTask = (task: PackageAnswer): Bodies['OperatorTask'] => ({
  ...answerBody(task),
  kind: 'answer',
  user_id: task.accountId,
  order_id: task.orderId,
  completed_by: task.completion?.by,
});
