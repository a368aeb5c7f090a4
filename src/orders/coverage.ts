import type { Located } from '../base/place.js';
import { coverageFacts } from '../carrier/areas-versions.js';
import { type CoverageAnswer, coverageOf } from '../carrier/coverage.js';
import type { Db } from '../db/connect.js';
import type { Planning } from '../routing/planning.js';

export type NamedPlace = { postalCode: string } | { city: string; state: string };

/** Writes the place as an address without any other part. */
export const placeAddress = (place: NamedPlace): string =>
  'postalCode' in place ? place.postalCode : `${place.city} - ${place.state}`;

/** Asks whether and how the carrier serves places for an account now; with a pickup, for packages from there. */
export async function coverageAt(
  { db, planning }: { db: Db; planning: Planning },
  accountId: string,
  places: readonly NamedPlace[],
  pickup: NamedPlace | undefined,
): Promise<CoverageAnswer[]> {
  const locate = async (place: NamedPlace): Promise<Located> => {
    const text = placeAddress(place);
    return planning.geocoder.read(text) ?? planning.geocoder.locate(text);
  };
  const facts = await coverageFacts(db, accountId);
  const from = pickup && (await locate(pickup));
  const found = await Promise.all(places.map(locate));
  return found.map((place) => coverageOf(facts, place, from));
}
