import type { Located } from '../routing/place.js';
import type { Geocoder } from '../routing/ports.js';
import type { OrderInput } from './order.js';

export interface LocatedStops {
  pickups: Located[];
  deliveries: Located[];
}

/** Asks for the place of every address of an order, for each distinct text once. */
export async function locateStops(geocoder: Geocoder, { pickups, packages }: OrderInput): Promise<LocatedStops> {
  const asked = new Map<string, Promise<Located>>();
  const locate = ({ address: { address } }: { address: { address: string } }) => {
    const answer = asked.get(address) ?? geocoder.locate(address);
    asked.set(address, answer);
    return answer;
  };
  const answers = await Promise.all([...pickups, ...packages].map(locate));
  return { pickups: answers.slice(0, pickups.length), deliveries: answers.slice(pickups.length) };
}
