import type { Actor } from '../../base/actor.js';
import { conflict, type FieldError, invalid, preconditionFailed, ServiceError } from '../../base/errors.js';
import { type Centavos, formatMoney } from '../../base/money.js';
import type { Db } from '../../db/connect.js';
import { transaction } from '../../db/transaction.js';
import { FIRST_STATUS } from '../../packages/movement.js';
import type { Package } from '../../packages/package.js';
import type { Address, Stop } from '../../packages/stop.js';
import { dayOf } from '../../routing/calendar.js';
import { lockOrder, orderOf } from '../lock-order.js';
import type { Order } from '../order.js';
import { type PlannedOrder, type PlanOrderDeps, planOrder, withPlacesOf } from '../plan-order.js';
import { noteAddressChange } from './address-history.js';
import {
  type ChangedOrder,
  changedMeanwhile,
  isCancelled,
  orderOfPackage,
  partOf,
  type Versions,
  writePlan,
} from './order-after.js';

export interface AddressChangeInput {
  address: Address;
  /** The total of a preview, as a confirmation. Without it nothing is changed. */
  totalCentavos?: number;
}

/**
 * Plans an order again with a new address for one package, by the rate card in force. The returned function writes the
 * plan, or nothing if no total confirms it. Throws NOT_FOUND, VALIDATION_ERROR, PRECONDITION_FAILED. Throws CONFLICT if
 * the package has left its first status, or if the order or its price has changed.
 */
export async function changeAddress(
  deps: PlanOrderDeps,
  actor: Actor,
  key: string,
  { address, totalCentavos }: AddressChangeInput,
  ifMatch?: Versions,
): Promise<(db: Db) => Promise<ChangedOrder>> {
  const { order, current } = await orderOfPackage(deps.db, actor, key, ifMatch);
  const { status, loggiKey } = current;
  if (status.code !== FIRST_STATUS)
    throw conflict(
      'package_state',
      `The package is in status ${status.code}: its address changes only in status ${FIRST_STATUS}.`,
    );
  const after = await planAgain(deps, order, loggiKey, address);
  const { pricing: previousPricing } = order;
  if (totalCentavos === undefined) return async () => ({ changed: false, previousPricing, order: after });
  const newTotalCentavos = after.pricing.totalCentavos;
  if (totalCentavos !== newTotalCentavos) throw otherTotal(newTotalCentavos);
  return (pool) =>
    transaction(pool, async (trx) => {
      const { accountId, id: orderId } = order;
      const { version } = await lockOrder(trx, actor, orderId);
      if (version !== order.version) throw ifMatch ? preconditionFailed() : changedMeanwhile();
      await writePlan(trx, after, { kind: 'address_changed', loggiKey });
      const change = { loggiKey, orderId, accountId, from: current.address, to: address };
      const repricing = { previous: previousPricing, newTotalCentavos };
      await noteAddressChange(trx, actor, { ...change, repricing });
      return { changed: true, previousPricing, order: await orderOf(trx, actor, orderId) };
    });
}

const otherTotal = (total: Centavos) =>
  conflict('price_changed', 'The price of the order has changed: look at a new preview.', {
    details: [
      { field: 'total', code: 'changed', message: 'is not what the order would cost', total: formatMoney(total) },
    ],
  });

/**
 * Plans the packages that are not cancelled. Reports every error as one of the new address, because the rest was valid
 * before.
 */
async function planAgain(deps: PlanOrderDeps, order: Order, loggiKey: string, address: Address): Promise<Order> {
  const { accountId, paymentMethodId, service, readyAt } = order;
  const today = dayOf(deps.clock().getTime()).date;
  const carried = order.packages.filter((each) => !isCancelled(each));
  const { pickupOf, pickups, packages } = partOf(order.pickups, carried);
  const input = {
    ...{ paymentMethodId, service, readyAt, pickups },
    packages: packages.map(({ items: _, ...each }) => ({
      ...each,
      ...(each.loggiKey === loggiKey && { address }),
      // The last day no longer counts if it is over, or if the package is already under way.
      deliverBy: hasMoved(each) || (each.deliverBy ?? today) < today ? null : each.deliverBy,
    })),
  };
  const planning = withPlacesOf(order, deps.planning);
  try {
    const movedPackage = carried.findIndex((each) => each.loggiKey === loggiKey);
    const planned = await planOrder({ ...deps, planning, fiscalRule: undefined, movedPackage }, accountId, input);
    return replanned(order, planned, { pickupOf, carried });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'VALIDATION_ERROR') throw error;
    const byMessage = new Map(error.details.map((detail) => [detail.message, detail]));
    const fieldOf = ({ field }: FieldError) => (field.endsWith('.location') ? 'address.location' : 'address.address');
    throw invalid([...byMessage.values()].map((detail) => ({ ...detail, field: fieldOf(detail) })));
  }
}

const hasMoved = ({ status }: Pick<Package, 'status'>): boolean => status.code !== FIRST_STATUS;

/**
 * Puts a new plan into an order. A package that has moved keeps its times and its promise, and so does its pickup.
 * Stops without a visit come after the route.
 */
function replanned(
  order: Order,
  planned: PlannedOrder,
  { pickupOf, carried }: { pickupOf: readonly number[]; carried: readonly Package[] },
): Order {
  let next = pickupOf.length + carried.length;
  const unvisited = <T extends Stop>(stop: T): T => ({
    ...stop,
    waypoint: { ...stop.waypoint, index: next++, legDistance: 0 },
  });
  const collected = new Set(carried.filter(hasMoved).map(({ pickupIndex }) => pickupIndex));
  const pickups = order.pickups.map((pickup, at) => {
    const { waypoint } = planned.pickups[pickupOf.indexOf(at)] ?? {};
    if (!waypoint) return unvisited(pickup);
    return { ...pickup, waypoint: collected.has(at) ? { ...waypoint, eta: pickup.waypoint.eta } : waypoint };
  });
  const packages = order.packages.map((each) => {
    const pickupWaypoint = pickups[each.pickupIndex]?.waypoint ?? each.pickupWaypoint;
    const plan = planned.packages[carried.indexOf(each)];
    if (!plan) return { ...unvisited(each), pickupWaypoint, lineHaulCentavos: null };
    const { address, place, waypoint, promisedDate, lineHaulCentavos, directMetres } = plan;
    const priced = { ...each, pickupWaypoint, lineHaulCentavos, directMetres };
    if (hasMoved(each)) return { ...priced, waypoint: { ...waypoint, eta: each.waypoint.eta } };
    return { ...priced, address, place, waypoint, promisedDate };
  });
  const { pricing, route } = planned;
  return { ...order, pricing, route, pickups, packages };
}
