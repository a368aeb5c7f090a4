import { toTime } from '../base/clock.js';
import { notFound } from '../base/errors.js';
import type { NoKey } from '../base/every-key.js';
import { listReply } from '../http/paging.js';
import {
  answerBody,
  completeTask,
  getTask,
  listTasks,
  type PackageAnswer,
  type TaskFilters,
} from '../packages/tasks.js';
import type { Bodies, Filters, OperatorDeps, SomeHandlers } from './deps.js';

export const tasksHandlers = ({ db, readList }: OperatorDeps) =>
  ({
    listTasks: ({ query }) =>
      listReply(query, (page) => readList((replica) => listTasks(replica, filtersOf(query), page)), toTask),

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
  }) satisfies SomeHandlers;

function filtersOf({ state, user_id, loggi_key, created_to, ...others }: Filters<'listTasks'>): TaskFilters {
  others satisfies NoKey;
  return { state, accountId: user_id, loggiKey: loggi_key, createdTo: toTime(created_to) };
}

const toTask = (task: PackageAnswer): Bodies['OperatorTask'] => ({
  ...answerBody(task),
  kind: 'answer',
  user_id: task.account_id,
  order_id: task.order_id,
  completed_by: task.completed_by ?? undefined,
});
