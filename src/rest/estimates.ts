import { onceAlone } from '../idempotency/once.js';
import { type PlannedOrder, planOrder } from '../orders/plan-order.js';
import type { Bodies, RestDeps, SomeHandlers } from './deps.js';
import { toInput } from './order-input.js';
import { toPricing, toResolvedAddress, toRoute, toWaypoint } from './orders.js';

export const estimatesHandlers = (deps: RestDeps) =>
  ({
    estimateOrder: async ({ body, ctx }) => {
      const planned = await planOrder(deps, ctx.actor.accountId, toInput(body));
      const reply = { status: 200 as const, body: toEstimate(planned) };
      const commit = async () => reply;
      // Without a key there is nothing to write, and no transaction.
      return { commit, commitUnder: (scope) => onceAlone(deps.db, scope, commit) };
    },
  }) satisfies SomeHandlers;

const toEstimate = ({ pricing, route, pickups, packages }: PlannedOrder): Bodies['OrderEstimate'] => ({
  pricing: toPricing(pricing),
  route: toRoute(route),
  pickups: pickups.map(({ place, waypoint }) => ({
    resolved_address: toResolvedAddress(place),
    waypoint: toWaypoint(waypoint),
  })),
  packages: packages.map(({ place, dimensions, pickupWaypoint, waypoint, promisedDate }) => ({
    resolved_address: toResolvedAddress(place),
    dimensions,
    pickup_waypoint: toWaypoint(pickupWaypoint),
    waypoint: toWaypoint(waypoint),
    promised_date: promisedDate,
  })),
});
