import type { Located } from '../base/place.js';
import type { Geocoder } from '../routing/ports.js';
import type { OrderInput, PickupInput } from './order.js';

/** What is known of each address; undefined where only another service knows. */
export interface LocatedStops {
  pickups: readonly (Located | undefined)[];
  deliveries: readonly (Located | undefined)[];
}

/** What shows of every address of an order without asking another service. */
export function readStops(geocoder: Geocoder, order: OrderInput): LocatedStops {
  return atStops(order, (address) => geocoder.read(address));
}

/** Asks for the place of every address of an order. */
export async function locateStops(geocoder: Geocoder, order: OrderInput): Promise<LocatedStops> {
  const asked = atStops(order, (address) => geocoder.locate(address));
  const [pickups, deliveries] = await Promise.all([Promise.all(asked.pickups), Promise.all(asked.deliveries)]);
  return { pickups, deliveries };
}

/** The answer for each stop; each distinct text is asked for once. */
function atStops<T>({ pickups, packages }: OrderInput, ask: (address: string) => T) {
  const answers = new Map<string, { answer: T }>();
  const answerTo = ({ address: { address } }: PickupInput): T => {
    const entry = answers.get(address) ?? { answer: ask(address) };
    answers.set(address, entry);
    return entry.answer;
  };
  return { pickups: pickups.map(answerTo), deliveries: packages.map(answerTo) };
}
