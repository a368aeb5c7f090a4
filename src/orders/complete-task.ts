import type { Actor } from '../base/actor.js';
import { notFound, ServiceError } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import type { NewMovement } from '../packages/movement.js';
import { noteChange } from '../packages/requests.js';
import { completeTask, getTask, type PackageAnswer } from '../packages/tasks.js';
import { lockOrder, toldMore, updateOrder } from './lock-order.js';
import { recordMovements } from './record-movements.js';

interface TaskCompletion {
  note?: string | undefined;
  /** A movement of the task's package. It is recorded together with the completion, or neither is. */
  movement?: NewMovement | undefined;
}

/**
 * Completes a task by a movement, a note, or both. First locks the packages, as requests do. Throws NOT_FOUND, CONFLICT
 * if the task was completed before, and the error of a refused movement.
 */
export function completeTaskBy(
  db: Db,
  actor: Actor,
  id: string,
  { note, movement }: TaskCompletion,
): Promise<PackageAnswer> {
  return transaction(db, async (trx) => {
    const open = await getTask(trx, id);
    if (!open) throw notFound('task');
    await lockOrder(trx, actor, open.order_id);
    const task = await completeTask(trx, actor, id, { note, movementId: movement?.id });
    if (movement) await recordOnly(trx, { ...movement, loggiKey: task.loggi_key });
    if (task.kind !== 'answer') await noteChange(trx, task.loggi_key);
    await updateOrder(trx, task.order_id, toldMore);
    return task;
  });
}

async function recordOnly(trx: Db, movement: NewMovement): Promise<void> {
  const [outcome] = (await recordMovements(trx, [movement])).outcomes;
  if (outcome?.result !== 'refused') return;
  const { code, reason, message, field, fieldCode } = outcome;
  const details = [{ field: `movement.${field}`, code: fieldCode, message }];
  throw new ServiceError(code, reason, message, { details });
}
