import type { Actor } from '../../base/actor.js';
import { conflict, invalid, notFound, preconditionFailed, ServiceError } from '../../base/errors.js';
import type { Db } from '../../db/connect.js';
import { transaction } from '../../db/transaction.js';
import { getPackage } from '../../packages/queries.js';
import type { Address } from '../../packages/stop.js';
import { lockOrder, orderOf } from '../lock-order.js';
import type { Order, Pricing } from '../order.js';
import { type PlannedOrder, type PlanOrderDeps, planOrder } from '../plan-order.js';
import { noteAddressChange } from './address-history.js';
import { withPlacesOf } from './known-places.js';
import { writePlan } from './write-plan.js';

export interface AddressChangeInput {
  address: Address;
  /** The total that a preview showed; without it nothing is changed. */
  totalCentavos?: number;
}

/** The order as it is once the address is changed, or as it would be. */
export interface ChangedOrder {
  changed: boolean;
  previousPricing: Pricing;
  order: Order;
}

/**
 * Plans an order again with another address for one of its packages, by the rate card in force and from now on; the function returned
 * writes it in one transaction, or nothing where no total confirms it. Throws NOT_FOUND, VALIDATION_ERROR for an address that cannot be placed or
 * reached, PRECONDITION_FAILED, CONFLICT when the order is no longer `created`, has changed meanwhile, or costs something else than the total.
 */
export async function changeAddress(
  deps: PlanOrderDeps,
  actor: Actor,
  loggiKey: string,
  { address, totalCentavos }: AddressChangeInput,
  ifMatch?: readonly number[],
): Promise<(db: Db) => Promise<ChangedOrder>> {
  const parcel = await getPackage(deps.db, actor, loggiKey);
  if (!parcel) throw notFound('package');
  const order = await orderOf(deps.db, actor, parcel.orderId);
  if (ifMatch && !ifMatch.includes(order.version)) throw preconditionFailed();
  if (order.status !== 'created')
    throw conflict(`The order is ${order.status}: addresses change only while it is created.`);
  const planned = await planAgain(deps, order, parcel.loggiKey, address);
  const { pricing: previousPricing } = order;
  if (totalCentavos === undefined) {
    return async () => ({ changed: false, previousPricing, order: replanned(order, planned) });
  }
  const newTotalCentavos = planned.pricing.totalCentavos;
  if (totalCentavos !== newTotalCentavos) throw otherTotal();
  return (pool) =>
    transaction(pool, async (trx) => {
      const { version } = await lockOrder(trx, actor, order.id);
      if (version !== order.version) throw ifMatch ? preconditionFailed() : changedMeanwhile();
      await writePlan(trx, order, planned);
      const { accountId, id: orderId } = order;
      const repricing = { previous: previousPricing, newTotalCentavos };
      await noteAddressChange(trx, actor, {
        loggiKey,
        orderId,
        accountId,
        from: parcel.address,
        to: address,
        repricing,
      });
      return { changed: true, previousPricing, order: await orderOf(trx, actor, order.id) };
    });
}

const changedMeanwhile = () => conflict('The order has changed meanwhile: look at a new preview.');

const otherTotal = () =>
  conflict('The order would cost something else now: look at a new preview.', [
    { field: 'total', message: 'is not what the order would cost' },
  ]);

/** Every error is one of the new address: all else was right before. */
async function planAgain(deps: PlanOrderDeps, order: Order, loggiKey: string, address: Address): Promise<PlannedOrder> {
  const { accountId, paymentMethodId, pickups } = order;
  const packages = order.packages.map(({ items: _, ...each }) =>
    each.loggiKey === loggiKey ? { ...each, address } : each,
  );
  const planning = withPlacesOf(order, deps.planning);
  try {
    return await planOrder({ ...deps, planning }, accountId, { paymentMethodId, pickups, packages });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'VALIDATION_ERROR') throw error;
    const messages = [...new Set(error.details.map(({ message }) => message))];
    throw invalid(messages.map((message) => ({ field: 'address.address', message })));
  }
}

/** The order as the plan makes it. */
function replanned(order: Order, { pricing, route, pickups, packages }: PlannedOrder): Order {
  return {
    ...order,
    pricing,
    route,
    pickups,
    packages: order.packages.map((each, at) => ({ ...each, ...packages[at], items: each.items })),
  };
}
