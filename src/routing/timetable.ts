import type { Waypoint } from '../base/place.js';
import type { LegTable } from './ports.js';

/** Time spent at a stop before the route goes on: signing packages over at a pickup, finding the recipient at a delivery. */
const PICKUP_SECONDS = 5 * 60;
const DELIVERY_SECONDS = 4 * 60;

/** The waypoint of every stop, by stop number, when the stops are visited in this order from `departAt` on. */
export function waypointsAlong(order: readonly number[], pickups: number, table: LegTable, departAt: Date): Waypoint[] {
  const waypoints = new Array<Waypoint>(order.length);
  let seconds = 0;
  order.forEach((stop, index) => {
    const previous = order[index - 1];
    const leg = previous === undefined ? 0 : (table.metres[previous]?.[stop] ?? 0);
    if (previous !== undefined) {
      seconds += previous < pickups ? PICKUP_SECONDS : DELIVERY_SECONDS;
      seconds += table.seconds[previous]?.[stop] ?? 0;
    }
    const eta = new Date(departAt.getTime() + Math.round(seconds) * 1_000);
    waypoints[stop] = { index, eta, legDistance: Math.round(leg) };
  });
  return waypoints;
}
