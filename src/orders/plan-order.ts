import type { Clock } from '../base/clock.js';
import { conflict, invalid, type ServiceError } from '../base/errors.js';
import type { Waypoint } from '../base/place.js';
import type { FiscalRule } from '../base/tax.js';
import type { Db } from '../db/connect.js';
import type { NewPackage } from '../packages/package.js';
import type { Stop } from '../packages/stop.js';
import { promisedDate } from '../routing/calendar.js';
import { type Planning, planRoute, type RoutePlan } from '../routing/planning.js';
import type { RouteStops } from '../routing/visits.js';
import { type CheckedOrder, checkOrder } from './check-order.js';
import { demandFreeKeys } from './fiscal-documents.js';
import type { Order, OrderInput, OrderRoute, Pricing } from './order.js';
import { locateStops, readAccountFacts, readStops } from './order-facts.js';
import { price } from './pricing.js';

export interface PlanOrderDeps {
  db: Db;
  planning: Planning;
  clock: Clock;
  /** The service's rule of fiscal documents; undefined for goods of an order that is there, which need none. */
  fiscalRule?: FiscalRule | undefined;
}

export interface PlannedOrder {
  accountId: string;
  paymentMethodId: number;
  externalId: string | null;
  pricing: Pricing;
  route: OrderRoute;
  pickups: Stop[];
  packages: NewPackage[];
  /** True of a return: its fiscal keys are those of another order. */
  sharesKeys?: boolean;
}

const COLLECTION_LEAD_MS = 30 * 60 * 1000;

/**
 * Decides everything about an order. Throws VALIDATION_ERROR with every wrong field, and CONFLICT when the account has
 * an order of this externalId, or one under way of a fiscal key. Other services are called only when no error shows
 * without them.
 */
export async function planOrder(deps: PlanOrderDeps, accountId: string, input: OrderInput): Promise<PlannedOrder> {
  const { planning, clock } = deps;
  const { facts, early } = await checkEarly(deps, accountId, input);
  const check = early.ok ? early : checkOrder(input, { ...facts, ...(await locateStops(planning.geocoder, input)) });
  if (!check.ok) throw invalid(check.errors);
  const { order } = check;
  const departAt = new Date(clock().getTime() + COLLECTION_LEAD_MS);
  const route = await planRoute(planning, stopsOf(order), departAt, accountId);
  const billedRoute = { distanceMetres: route.totalMetres, pickupCount: order.pickups.length };
  const sizes = order.packages.map(({ dimensions }) => dimensions);
  return {
    accountId,
    paymentMethodId: order.paymentMethodId,
    externalId: input.externalId ?? null,
    pricing: price(facts.card, billedRoute, sizes),
    route: { distanceMetres: route.totalMetres, distanceSource: route.distanceSource },
    pickups: order.pickups.map((pickup, at) => ({ waypoint: stopAt(route.pickups, at), ...pickup })),
    packages: routedPackages(order, route),
  };
}

/** Throws as `planOrder` does for the errors that show without another service. */
export async function checkEarly(deps: PlanOrderDeps, accountId: string, input: OrderInput) {
  const { db, planning, fiscalRule } = deps;
  const stops = await readStops(planning.geocoder, accountId, input);
  const accountFacts = await readAccountFacts(db, accountId, input);
  const facts = { ...accountFacts, rule: fiscalRule && (accountFacts.ownRule ?? fiscalRule) };
  const early = checkOrder(input, { ...facts, ...stops });
  if (!early.ok && early.errors.length > 0) throw invalid(early.errors);
  if (facts.orderOfExternalId !== null) throw externalIdTaken(facts.orderOfExternalId);
  if (fiscalRule) await demandFreeKeys(db, accountId, input.packages);
  return { facts, early };
}

function stopsOf({ pickups, packages }: CheckedOrder): RouteStops {
  const routeStop = ({ address, place }: CheckedOrder['pickups'][number]) => ({ address: address.address, place });
  const deliveries = packages.map((each) => ({ ...routeStop(each), pickupIndex: each.pickupIndex }));
  return { pickups: pickups.map(routeStop), deliveries };
}

function routedPackages({ pickups, packages }: CheckedOrder, route: RoutePlan): NewPackage[] {
  return packages.map((checked, at) => {
    const waypoint = stopAt(route.deliveries, at);
    const pickupPlace = stopAt(pickups, checked.pickupIndex).place;
    const pickupWaypoint = stopAt(route.pickups, checked.pickupIndex);
    const { city, state } = pickupPlace;
    const promised = { waypoint, promisedDate: promisedDate(waypoint.eta) };
    return { ...promised, pickupPlace, pickupWaypoint, origin: { city, state }, ...checked };
  });
}

function stopAt<T extends Waypoint | CheckedOrder['pickups'][number]>(stops: readonly T[], at: number): T {
  const stop = stops[at];
  if (!stop) throw new RangeError(`the route lacks stop ${at}`);
  return stop;
}

/** Planning that keeps the places of an order's addresses; only new ones are looked up. */
export function withPlacesOf({ pickups, packages }: Order, planning: Planning): Planning {
  const known = new Map(
    [...pickups, ...packages].map(({ address, place }) => [address.address, { ok: true, place } as const]),
  );
  const geocoder: Planning['geocoder'] = {
    read: (address) => known.get(address) ?? planning.geocoder.read(address),
    locate: async (address) => known.get(address) ?? planning.geocoder.locate(address),
  };
  return { ...planning, geocoder };
}

export const externalIdTaken = (orderId?: string): ServiceError =>
  conflict('The account has an order of this external id.', [
    { field: 'externalId', message: 'is taken', ...(orderId !== undefined && { orderId }) },
  ]);
