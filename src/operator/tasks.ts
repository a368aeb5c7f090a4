import { toTime } from '../base/clock.js';
import { invalidField, notFound } from '../base/errors.js';
import type { NoKey } from '../base/every-key.js';
import type { KeyRing } from '../base/secrets/keys.js';
import type { Db } from '../db/connect.js';
import { listReply } from '../http/paging.js';
import { completeTaskBy } from '../orders/complete-task.js';
import type { NewMovement } from '../packages/movement.js';
import { openProof } from '../packages/proof/proofs.js';
import { keysByCode } from '../packages/queries.js';
import { requestBody } from '../packages/requests.js';
import { answerBody, getTask, listTasks, type PackageAnswer, type TaskFilters } from '../packages/tasks.js';
import type { Bodies, Filters, OperatorDeps, Schemas, SomeHandlers } from './deps.js';
import { fromMovement } from './movements.js';

export const tasksHandlers = ({ db, readList, encryptionKeys: keys }: OperatorDeps) =>
  ({
    listTasks: ({ query }) =>
      listReply(
        query,
        (page) => readList((replica) => listTasks(replica, filtersOf(query), page)),
        (task) => toTask(task, keys),
      ),

    getTask: async ({ params }) => {
      const task = await getTask(db, params.id);
      if (!task) throw notFound('task');
      return { status: 200, body: toTask(task, keys) };
    },

    completeTask: async ({ params, body: { note, movement: body, ...others }, ctx }) => {
      others satisfies NoKey;
      const movement = body && (await movementOf(db, params.id, body, keys));
      return async (trx) => {
        const task = await completeTaskBy(trx, ctx.actor, params.id, { note, movement });
        return { status: 200, body: toTask(task, keys) };
      };
    },
  }) satisfies SomeHandlers;

/** The movement of a completion. It names the task's package, or no package. */
async function movementOf(db: Db, id: string, body: Schemas['MovementInput'], keys: KeyRing): Promise<NewMovement> {
  const { loggi_key, tracking_code, barcode, ...facts } = body;
  // A wrong PIN would have to be counted, but the refused completion writes nothing.
  if (facts.pin !== undefined)
    throw invalidField('movement.pin', 'not_allowed', 'is not taken here: record the movement by itself');
  const task = await getTask(db, id);
  if (!task) throw notFound('task');
  const codes = await keysByCode(db, [tracking_code ?? []].flat(), [barcode ?? []].flat());
  const names = [loggi_key, tracking_code, barcode].filter((name) => name !== undefined);
  const key = loggi_key?.toLowerCase() ?? [...codes.values()][0];
  if (names.length > 1 || (names.length === 1 && key !== task.loggi_key))
    throw invalidField('movement.loggiKey', 'contradiction', "must be the task's package, named in one way at most");
  return fromMovement({ ...facts, loggi_key: task.loggi_key }, codes, keys);
}

function filtersOf({ state, kind, user_id, loggi_key, created_to, ...others }: Filters<'listTasks'>): TaskFilters {
  others satisfies NoKey;
  return { state, kind, accountId: user_id, loggiKey: loggi_key, createdTo: toTime(created_to) };
}

const toTask = (task: PackageAnswer, keys: KeyRing): Bodies['OperatorTask'] => ({
  ...answerBody(task),
  ...requestBody(task),
  phone: task.kind === 'answer' ? (task.phone ?? undefined) : undefined,
  proof: proofThen(task, keys),
  user_id: task.account_id,
  order_id: task.order_id,
  completed_by: task.completed_by ?? undefined,
});

/** The proof of delivery at the time of the shipper's inquiry. */
function proofThen(task: PackageAnswer, keys: KeyRing): Bodies['OperatorTask']['proof'] {
  const { delivered_at: deliveredAt, loggi_key: key, proof_facts: facts } = task;
  if (!deliveredAt) return undefined;
  const { recipientName, recipientDocument } = openProof(keys, key, facts);
  return {
    delivered_at: deliveredAt.toISOString(),
    recipient_name: recipientName,
    recipient_document: recipientDocument,
  };
}
