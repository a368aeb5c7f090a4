import { sql } from 'kysely';
import { type Account, getAccount } from '../accounts/account.js';
import type { Actor } from '../base/actor.js';
import { isErased } from '../base/erased.js';
import { conflict, notFound } from '../base/errors.js';
import type { Origin } from '../base/telemetry/tracing.js';
import type { Db } from '../db/connect.js';
import { inPartitionsOf } from '../db/near.js';
import { row } from '../db/row.js';
import { transaction } from '../db/transaction.js';
import { DELIVERED } from '../packages/movement.js';
import type { Package } from '../packages/package.js';
import { getPackage } from '../packages/queries.js';
import { lockOrder, orderOf, updateOrder } from './lock-order.js';
import type { Order, OrderInput } from './order.js';
import type { Placing } from './place-order.js';
import { type PlanOrderDeps, planOrder, withPlacesOf } from './plan-order.js';

export interface ReturnInput {
  /** Default: the account's first one. */
  paymentMethodId?: number;
  externalId?: string;
  instructions?: string;
  /** The time from which the package can be fetched. Default: now. */
  readyAt?: Date;
  /** The price to which the client agreed. */
  expectedCentavos?: number;
}

/**
 * Plans an order that takes a delivered package back to its pickup, with the account as the recipient. The returned
 * function places the order. A package has at most one return that is not cancelled. Throws NOT_FOUND, CONFLICT, and
 * VALIDATION_ERROR as `planOrder` does.
 */
export async function returnPackage(
  deps: PlanOrderDeps & { placing: Placing },
  actor: Actor,
  loggiKey: string,
  input: ReturnInput,
  origin?: Origin,
): Promise<(db: Db) => Promise<Order>> {
  const { db } = deps;
  const delivered = await returnablePackage(db, actor, loggiKey);
  const shipper = await getAccount(db, actor, delivered.accountId);
  if (!shipper) throw conflict('account_deleted', 'The account of the package was deleted.');
  const original = await orderOf(db, actor, delivered.orderId);
  const planning = withPlacesOf(original, deps.planning);
  const planned = await planOrder(
    { ...deps, planning, fiscalRule: undefined },
    shipper.id,
    wayBack(original, delivered, shipper, input),
  );
  return (pool) =>
    transaction(pool, async (trx) => {
      await lockOrder(trx, actor, original.id);
      const { loggiKey: returnOf } = await returnablePackage(trx, actor, loggiKey);
      const order = await deps.placing.placeIn(trx, { ...planned, sharesKeys: true }, origin);
      await trx
        .insertInto('package_returns')
        .values(row<'package_returns'>({ order_id: order.id, loggi_key: returnOf }))
        .execute();
      // The order changes visibly, so its version grows. The time at which it was finished stays.
      await updateOrder(trx, original.id, { version: sql<number>`version + 1` });
      return { ...order, returnOf };
    });
}

async function returnablePackage(db: Db, actor: Actor, loggiKey: string): Promise<Package> {
  const delivered = await getPackage(db, actor, loggiKey);
  if (!delivered) throw notFound('package');
  const { status, address, returnedBy } = delivered;
  if (status.code !== DELIVERED)
    throw conflict('package_not_delivered', 'Only a package that was delivered can be returned.');
  if (isErased(address.address)) throw conflict('package_erased', 'The addresses of the package have been erased.');
  if (returnedBy !== null && !(await isCancelledOrder(db, returnedBy))) {
    const detail = { field: 'loggiKey', code: 'taken', message: 'is returned', orderId: returnedBy } as const;
    throw conflict('return_exists', 'The package has a return.', { details: [detail] });
  }
  return delivered;
}

/** Tells whether the order is cancelled. An order that retention dropped does not count: it may have been completed. */
export async function isCancelledOrder(db: Db, orderId: string): Promise<boolean> {
  const query = db.selectFrom('orders').select('status').where('id', '=', orderId);
  return (await query.where(inPartitionsOf('id', [orderId])).executeTakeFirst())?.status === 'cancelled';
}

function wayBack(original: Order, delivered: Package, { name, phone, taxId }: Account, input: ReturnInput): OrderInput {
  const pickup = original.pickups[delivered.pickupIndex];
  if (!pickup) throw new RangeError(`order ${original.id} lacks pickup ${delivered.pickupIndex}`);
  const { instructions, ...payment } = input;
  const { dimensions, declaredCentavos, fiscalDocument } = delivered;
  // The package goes back to the sender at its pickup.
  const account = { name, phone, ...(taxId !== null && { taxId }) };
  const recipient = pickup.sender ? { phone, ...pickup.sender } : account;
  const content = { dimensions, declaredCentavos, fiscalDocument, reference: delivered.reference };
  const back = { pickupIndex: 0, recipient, address: pickup.address, ...content };
  return {
    ...payment,
    pickups: [{ address: delivered.address, ...(instructions !== undefined && { instructions }) }],
    packages: [{ ...back, ...(pickup.instructions !== undefined && { instructions: pickup.instructions }) }],
  };
}
