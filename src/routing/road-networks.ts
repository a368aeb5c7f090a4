import type { Located, Place } from '../base/place.js';
import networkTable from './data/road-networks.json' with { type: 'json' };

/** The road network of each isolated municipality, by its name and state. All others are on the national network. */
export const isolatedNetworks: ReadonlyMap<string, string> = new Map(
  Object.entries(networkTable.isolated).flatMap(([state, networks]) =>
    networks.flatMap((network) => network.map((city) => [`${city} - ${state}`, network.join()] as const)),
  ),
);

const NATIONAL = '';

const nameOf = ({ city, state }: Pick<Place, 'city' | 'state'>): string => `${city} - ${state}`;

const networkOf = (place: Place): string => isolatedNetworks.get(nameOf(place)) ?? NATIONAL;

/**
 * Refuses each place that no road joins to the others: one off the national network or, without that, off the first
 * stop's.
 */
export function joinedByRoad(stops: readonly (Located | undefined)[]): (Located | undefined)[] {
  const placeNetworks = stops.flatMap((stop) => (stop?.ok ? [networkOf(stop.place)] : []));
  const common = placeNetworks.includes(NATIONAL) ? NATIONAL : placeNetworks[0];
  return stops.map((stop) => {
    if (!stop?.ok || networkOf(stop.place) === common) return stop;
    const message = `No road or car ferry joins ${nameOf(stop.place)} to the other addresses of the order: order pickups and deliveries there separately.`;
    return { ok: false, message };
  });
}
