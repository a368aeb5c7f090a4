import type { Actor } from '../base/actor.js';
import { conflict, forbidden, preconditionFailed } from '../base/errors.js';
import { newId } from '../base/ids.js';
import type { TraceParent } from '../base/telemetry/tracing.js';
import type { Db } from '../db/connect.js';
import type { OrderStatus } from '../db/tables/database.js';
import { transaction } from '../db/transaction.js';
import { CANCELLED, DELIVERED, type NewMovement } from '../packages/movement.js';
import { type MovablePackage, movablePackages } from '../packages/queries.js';
import { lockOrder, orderOf } from './lock-order.js';
import type { Order } from './order.js';
import { recordMovements } from './record-movements.js';

interface ChangeOptions {
  ifMatch?: readonly number[] | undefined;
  traceparent?: TraceParent | undefined;
}

/**
 * Sets an order's status by moving all its open packages, or none (contracts/openapi.yaml, updateOrderStatus). Throws
 * NOT_FOUND, PRECONDITION_FAILED, and FORBIDDEN for a status that only an operator may set. Throws CONFLICT for a step
 * that does not exist, and for the delivery of a package that asks for its PIN.
 * Model: Movements!Cancel (lab/models)
 */
export function setOrderStatus(
  db: Db,
  actor: Actor,
  id: string,
  status: OrderStatus,
  { ifMatch, traceparent }: ChangeOptions = {},
): Promise<Order> {
  return transaction(db, async (trx) => {
    const order = await lockOrder(trx, actor, id);
    if (ifMatch && !ifMatch.includes(order.version)) throw preconditionFailed();
    if (order.status === status) return orderOf(trx, actor, id);
    demandPermission(actor, order.status, status);
    const packages = await movablePackages(trx, id);
    const statusCode = demandStep(order.status, status, packages);
    if (statusCode === DELIVERED) demandNoPin(packages);
    await move(trx, packages, { statusCode, traceparent });
    return orderOf(trx, actor, id);
  });
}

function demandNoPin(packages: readonly MovablePackage[]): void {
  if (packages.some(({ final, asksForPin }) => !final && asksForPin))
    throw conflict(
      'pin_required',
      'A package of the order is delivered for its PIN only: record its movement with it.',
    );
}

function demandPermission({ role }: Actor, from: OrderStatus, to: OrderStatus): void {
  if (role === 'operator' || (to === 'cancelled' && from === 'created')) return;
  throw to === 'cancelled'
    ? forbidden('order_state', 'Only an order that is still created can be cancelled by its owner.')
    : forbidden('role_not_allowed', 'Only an operator may set this status.');
}

/** The movement that leads to each status, and the statuses from which it may start. */
const steps: Record<OrderStatus, { code: number; from: readonly OrderStatus[] }> = {
  created: { code: 1, from: [] },
  processing: { code: 3, from: ['created'] },
  out_for_delivery: { code: 11, from: ['created', 'processing'] },
  completed: { code: DELIVERED, from: ['created', 'processing', 'out_for_delivery'] },
  cancelled: { code: CANCELLED, from: ['created', 'processing'] },
};

/** The status code of the movement. Refuses to cancel an order with a completed package: it would become completed. */
function demandStep(from: OrderStatus, to: OrderStatus, packages: readonly MovablePackage[]): number {
  if (!steps[to].from.includes(from)) throw conflict('order_state', `An order that is ${from} cannot become ${to}.`);
  if (to === 'cancelled' && packages.some(({ stage }) => stage === 'completed')) {
    throw conflict(
      'package_final',
      'A package of the order has reached its end already; the order cannot be cancelled.',
    );
  }
  return steps[to].code;
}

/** Moves the open packages among locked ones. The location of each movement is the package's last one. */
export async function move(
  trx: Db,
  packages: readonly MovablePackage[],
  moved: Pick<NewMovement, 'statusCode' | 'traceparent'>,
): Promise<void> {
  const movements = packages
    .filter(({ final }) => !final)
    .map(({ loggiKey, next: happenedAt, lastSeen: location }) => ({
      ...{ id: newId(), loggiKey, happenedAt, location },
      ...moved,
    }));
  const { outcomes } = await recordMovements(trx, movements);
  const refusal = outcomes.find(({ result }) => result !== 'recorded');
  if (refusal) throw new Error(`a package that is locked and open was not moved: ${JSON.stringify(refusal)}`);
}
