import type { Actor } from '../../base/actor.js';
import { conflict } from '../../base/errors.js';
import type { TraceParent } from '../../base/telemetry/tracing.js';
import { isUrban, price } from '../../carrier/pricing.js';
import { getRateCard } from '../../carrier/rate-cards.js';
import type { Db } from '../../db/connect.js';
import { transaction } from '../../db/transaction.js';
import { CANCELLED, FIRST_STATUS } from '../../packages/movement.js';
import type { Package } from '../../packages/package.js';
import { movablePackages } from '../../packages/queries.js';
import { planRoute } from '../../routing/planning.js';
import { freeKey } from '../fiscal-documents.js';
import { lockOrder, orderOf } from '../lock-order.js';
import type { Order, Pricing } from '../order.js';
import { type PlanOrderDeps, stopsOf } from '../plan-order.js';
import { move } from '../set-status.js';
import {
  type ChangedOrder,
  changedMeanwhile,
  isCancelled,
  orderOfPackage,
  partOf,
  type Versions,
  writePlan,
} from './order-after.js';

interface CancellationOptions {
  /** True to compute the price only, and change nothing. */
  preview?: boolean | undefined;
  ifMatch?: Versions;
  traceparent?: TraceParent | undefined;
}

/**
 * Cancels a package in its first status, and prices the other packages by the card of the order. The returned function
 * writes it; a package that is cancelled already stays unchanged. Throws NOT_FOUND and PRECONDITION_FAILED. Throws
 * CONFLICT for a package in another status, and if the order has changed meanwhile.
 */
export async function cancelPackage(
  deps: PlanOrderDeps,
  actor: Actor,
  key: string,
  { preview = false, ifMatch, traceparent }: CancellationOptions = {},
): Promise<(db: Db) => Promise<ChangedOrder>> {
  const { order, current } = await orderOfPackage(deps.db, actor, key, ifMatch);
  const { loggiKey } = current;
  const { pricing: previousPricing } = order;
  const done = (after: Order, changed = true): ChangedOrder => ({ changed, previousPricing, order: after });
  if (isDone(current)) return async () => done(order);
  const pricing = await priceWithout(deps, order, loggiKey);
  if (preview) return async () => done(repriced(order, loggiKey, pricing), false);
  return (pool) =>
    transaction(pool, async (trx) => {
      await lockOrder(trx, actor, order.id);
      const { order: locked, current: latest } = await orderOfPackage(trx, actor, loggiKey, ifMatch);
      if (isDone(latest)) return done(locked);
      if (basisOf(locked) !== basisOf(order)) throw changedMeanwhile();
      if (pricing) {
        const after = repriced(locked, loggiKey, pricing);
        await writePlan(trx, after, { kind: 'package_cancelled', loggiKey });
      }
      await freeKey(trx, locked, latest);
      const movable = await movablePackages(trx, order.id);
      const moved = movable.filter((each) => each.loggiKey === loggiKey);
      await move(trx, moved, { statusCode: CANCELLED, traceparent });
      return done(await orderOf(trx, actor, order.id));
    });
}

/**
 * Tells whether the package is cancelled already. Throws CONFLICT if it is in neither its first status nor cancelled.
 */
function isDone({ status }: Package): boolean {
  if (status.code !== FIRST_STATUS && status.code !== CANCELLED)
    throw conflict(
      'package_state',
      `The package is in status ${status.code}: it is cancelled by itself only in status ${FIRST_STATUS}.`,
    );
  return status.code === CANCELLED;
}

/** The facts that decide the price. Movements of other packages are not among them. */
const basisOf = ({ pricing, packages }: Order): string =>
  JSON.stringify([pricing, packages.map((each) => [each.address, isCancelled(each)])]);

/** The price of the other packages. Undefined without other packages, or if the price would not fall. */
async function priceWithout(
  { db, planning, clock }: PlanOrderDeps,
  { accountId, service, pricing, pickups, packages }: Order,
  cancelled: string,
): Promise<Pricing | undefined> {
  const left = packages.filter((each) => each.loggiKey !== cancelled && !isCancelled(each));
  const card = await getRateCard(db, pricing.rateCardVersion);
  if (left.length === 0 || !card) return undefined;
  // A missing distance counts as 0: only a card without zones can price such packages.
  const priced = left.map((each) => ({ ...each, directMetres: each.directMetres ?? 0 }));
  const urban = priced.filter(({ directMetres }) => isUrban(card, directMetres));
  const route =
    urban.length > 0 && (await planRoute(planning, stopsOf(partOf(pickups, urban)), clock(), { owner: accountId }));
  const billedRoute = {
    courierMetres: route ? route.totalMetres : 0,
    pickupCount: partOf(pickups, left).pickups.length,
  };
  const { lineHaul: _, ...lower } = price(card, service, billedRoute, priced);
  return lower.totalCentavos < pricing.totalCentavos ? lower : undefined;
}

function repriced(order: Order, cancelled: string, pricing: Pricing | undefined): Order {
  if (!pricing) return order;
  const packages = order.packages.map((each) =>
    each.loggiKey === cancelled || isCancelled(each) ? { ...each, lineHaulCentavos: null } : each,
  );
  return { ...order, pricing, packages };
}
