import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import type { NewMovement } from '../packages/movement.js';
import * as packages from '../packages/record-movement.js';
import { refreshOrders } from './refresh-orders.js';

/**
 * Records movements of any packages, with their notifications and what follows for the orders, in one transaction. The
 * outcomes are in the order of the items; a refused item does not stop the others.
 */
export function recordMovements(db: Db, items: readonly NewMovement[]): Promise<packages.Recorded> {
  return transaction(db, async (trx) => {
    const recorded = await packages.recordMovements(trx, items);
    await refreshOrders(trx, recorded.orderIds);
    return recorded;
  });
}
