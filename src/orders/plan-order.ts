import type { Clock } from '../base/clock.js';
import { invalid } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import type { NewPackage } from '../packages/add-packages.js';
import type { Waypoint } from '../packages/stop.js';
import { promisedDate } from '../routing/calendar.js';
import { type Planning, planRoute, type RoutePlan } from '../routing/planning.js';
import { type CheckedOrder, checkOrder } from './check-order.js';
import { externalIdTaken } from './external-id.js';
import { locateStops, readStops } from './locate-stops.js';
import type { OrderInput, OrderPickup, OrderRoute, Pricing } from './order.js';
import { price } from './pricing.js';
import { readForOrder } from './read-for-order.js';

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
const COLLECTION_LEAD_MS = 30 * 60 * 1000;

/**
 * Decides everything about an order: createOrder writes the result, estimateOrder only shows it. Throws VALIDATION_ERROR with
 * every field that is wrong, by its dotted path, and CONFLICT when the account has an order of this externalId. Two reads at
 * most, whatever the number of stops. Other services are asked only when no fault shows without them.
 */
export async function planOrder(deps: PlanOrderDeps, accountId: string, input: OrderInput): Promise<PlannedOrder> {
  const { planning, clock } = deps;
  const { facts, checked: early } = await checkEarly(deps, accountId, input);
  const checked = early.ok ? early : checkOrder(input, { ...facts, ...(await locateStops(planning.geocoder, input)) });
  if (!checked.ok) throw invalid(checked.faults);
  const { order } = checked;
  const route = await planRoute(planning, stopsOf(order), new Date(clock().getTime() + COLLECTION_LEAD_MS));
  const priced = { distanceMetres: route.totalMetres, pickupCount: order.pickups.length };
  const parcels = order.packages.map(({ dimensions }) => dimensions);
  return {
    accountId,
    paymentMethodId: order.paymentMethodId,
    externalId: input.externalId ?? null,
    pricing: price(facts.card, priced, parcels),
    route: { distanceMetres: route.totalMetres, distanceSource: route.distanceSource },
    pickups: order.pickups.map((pickup, at) => ({ waypoint: stopAt(route.pickups, at), ...pickup })),
    packages: routedPackages(order, route),
  };
}

/**
 * Throws as `planOrder` does, as far as faults show without asking another service. Addresses that only a service knows are
 * left open.
 */
export async function checkEarly({ db, planning }: PlanOrderDeps, accountId: string, input: OrderInput) {
  // The database is asked first, so that it answers while the addresses are read, which never pauses.
  const [facts, read] = await Promise.all([readForOrder(db, accountId, input), readStops(planning.geocoder, input)]);
  const checked = checkOrder(input, { ...facts, ...read });
  if (!checked.ok && checked.faults.length > 0) throw invalid(checked.faults);
  if (facts.taken) throw externalIdTaken();
  return { facts, checked };
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
    return { waypoint, pickupWaypoint, promisedDate: promisedDate(waypoint.eta), origin: { city, state }, ...parcel };
  });
}

function stopAt<T extends Waypoint | CheckedOrder['pickups'][number]>(stops: readonly T[], at: number): T {
  const stop = stops[at];
  if (!stop) throw new RangeError(`the route lacks stop ${at}`);
  return stop;
}
