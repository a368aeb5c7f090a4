import { paymentMethods } from '../accounts/payment-methods.js';
import type { Clock } from '../base/clock.js';
import { invalid } from '../base/errors.js';
import { isId } from '../base/ids.js';
import type { Db } from '../db/connect.js';
import type { NewPackage } from '../packages/add-packages.js';
import type { Waypoint } from '../packages/stop.js';
import { productsById } from '../products/queries.js';
import { promisedDate } from '../routing/calendar.js';
import { type Planning, planRoute, type RoutePlan } from '../routing/planning.js';
import { type CheckedOrder, checkOrder } from './check-order.js';
import { locateStops } from './locate-stops.js';
import type { OrderInput, OrderPickup, OrderRoute, Pricing } from './order.js';
import type { ProductSizes } from './parcel.js';
import { price } from './pricing.js';
import { currentRateCard } from './rates.js';

export interface PlanOrderDeps {
  db: Db;
  planning: Planning;
  clock: Clock;
}

/** An order with its places, route and price, ready to be written; nothing is written yet. */
export interface PlannedOrder {
  accountId: string;
  paymentMethodId: number;
  externalId: string | null;
  pricing: Pricing;
  route: OrderRoute;
  pickups: OrderPickup[];
  packages: NewPackage[];
}

/** From the order to the courier at the first pickup. */
const collectionLeadMs = 30 * 60 * 1000;

/**
 * Decides everything about an order: createOrder writes the result, estimateOrder only shows it. Throws VALIDATION_ERROR with
 * every field that is wrong, by its dotted path. At most three reads, whatever the number of stops.
 */
export async function planOrder(deps: PlanOrderDeps, accountId: string, input: OrderInput): Promise<PlannedOrder> {
  const { db, planning, clock } = deps;
  const [located, { card, ...account }] = await Promise.all([
    locateStops(planning.geocoder, input),
    readAccount(db, accountId, input),
  ]);
  const checked = checkOrder(input, { ...located, ...account });
  if (!checked.ok) throw invalid(checked.faults);
  const { order } = checked;
  const route = await planRoute(planning, stopsOf(order), new Date(clock().getTime() + collectionLeadMs));
  const priced = { distanceMetres: route.totalMetres, pickupCount: order.pickups.length };
  const parcels = order.packages.map(({ dimensions }) => dimensions);
  return {
    accountId,
    paymentMethodId: order.paymentMethodId,
    externalId: input.externalId ?? null,
    pricing: price(card, priced, parcels),
    route: { distanceMetres: route.totalMetres, distanceSource: route.distanceSource },
    pickups: order.pickups.map((pickup, at) => ({ ...pickup, waypoint: stopAt(route.pickups, at) })),
    packages: routedPackages(order, route),
  };
}

/** One read after the other: a request that took several connections at once would starve others of them. */
async function readAccount(db: Db, accountId: string, input: OrderInput) {
  return {
    card: await currentRateCard(db),
    paymentMethods: await paymentMethods(db, accountId),
    products: await productSizes(db, accountId, input),
  };
}

async function productSizes(db: Db, accountId: string, { packages }: OrderInput): Promise<ProductSizes> {
  const wanted = packages.flatMap(({ items = [] }) => items.map(({ productId }) => productId)).filter(isId);
  if (wanted.length === 0) return new Map();
  const products = await productsById(db, accountId, wanted);
  return new Map(products.map(({ id, dimensions }) => [id, dimensions]));
}

function stopsOf({ pickups, packages }: CheckedOrder) {
  const deliveries = packages.map(({ pickupIndex, place }) => ({ pickupIndex, place }));
  return { pickups: pickups.map(({ place }) => place), deliveries };
}

function routedPackages({ pickups, packages }: CheckedOrder, route: RoutePlan): NewPackage[] {
  return packages.map((parcel, at) => {
    const waypoint = stopAt(route.deliveries, at);
    const { city, state } = stopAt(pickups, parcel.pickupIndex).place;
    const pickupWaypoint = stopAt(route.pickups, parcel.pickupIndex);
    return { ...parcel, waypoint, pickupWaypoint, promisedDate: promisedDate(waypoint.eta), origin: { city, state } };
  });
}

function stopAt<T extends Waypoint | CheckedOrder['pickups'][number]>(stops: readonly T[], at: number): T {
  const stop = stops[at];
  if (!stop) throw new RangeError(`the route lacks stop ${at}`);
  return stop;
}
