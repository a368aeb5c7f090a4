import type { Planning } from '../../routing/planning.js';
import type { Order } from '../order.js';

/** Planning in which the addresses of an order stay where they were placed; only new ones are looked up. */
export function withPlacesOf({ pickups, packages }: Order, planning: Planning): Planning {
  const { geocoder } = planning;
  const located = new Map(
    [...pickups, ...packages].map(({ address, place }) => [address.address, { ok: true, place } as const]),
  );
  return {
    ...planning,
    geocoder: {
      read: (address) => located.get(address) ?? geocoder.read(address),
      locate: async (address) => located.get(address) ?? geocoder.locate(address),
    },
  };
}
