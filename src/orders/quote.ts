import { type FieldError, invalid } from '../base/errors.js';
import type { Pricing } from '../carrier/pricing.js';
import type { Service } from '../db/tables/prices.js';
import { promisedDate } from '../routing/calendar.js';
import { checkPickupIndex, checkUse, packageSize } from './check-order.js';
import { checkAreas, withRoads } from './check-places.js';
import { type NamedPlace, placeAddress } from './coverage.js';
import type { PackageInput } from './order.js';
import { type LocatedStops, locateStops, type ProductSizes, readAccountFacts, readStops } from './order-facts.js';
import { lastDate, type PlanOrderDeps, pricedRoute } from './plan-order.js';

// A quote is an estimate without persons: it has only places, sizes and values. Route and card are those of an estimate
// for an order to the same places. A quote is refused where that estimate is refused.

type QuotedPackage = Pick<PackageInput, 'pickupIndex' | 'dimensions' | 'items' | 'declaredCentavos'> & {
  place: NamedPlace;
};

export interface QuoteInput {
  pickups: readonly NamedPlace[];
  packages: readonly QuotedPackage[];
}

/** The price of an order by one service, and the day on which its last package would be delivered. */
export interface QuotedService {
  service: Service;
  pricing: Pricing;
  /** The time from which prices may differ. Null if no change is announced. */
  priceUntil: Date | null;
  lastDate: string;
}

/** Prices packages by each service that all places have, `express` first. Throws VALIDATION_ERROR with every error. */
export async function quote(
  deps: Pick<PlanOrderDeps, 'db' | 'planning' | 'clock'>,
  accountId: string,
  input: QuoteInput,
): Promise<QuotedService[]> {
  const { db, planning } = deps;
  const stops = stopsOf(input);
  const facts = await readAccountFacts(db, accountId, stops, { isEstimate: true });
  const read = await readStops(planning.geocoder, accountId, stops);
  const isRead = [...read.pickups, ...read.deliveries].every((each) => each !== undefined);
  const located = withRoads(isRead ? read : await locateStops(planning.geocoder, stops));
  const { order, errors } = checkQuote(stops, { ...located, products: facts.products });
  const refused = checkAreas({ ...located, areas: facts.areas }, undefined);
  if (errors.length + refused.length > 0) throw invalid([...errors, ...refused].map(onPlace));
  const { services, priceBy } = await pricedRoute(deps, { accountId, ...facts }, order);
  if (services.length === 0) throw invalid([notOffered]);
  return services.map((service) => {
    const { pricing, times } = priceBy(service);
    const packages = times.deliveries.map(({ eta }) => ({ promisedDate: promisedDate(eta) }));
    return { service, pricing, priceUntil: facts.cardUntil, lastDate: lastDate({ packages }) };
  });
}

const notOffered: FieldError = {
  field: 'packages',
  code: 'not_offered',
  message: 'The carrier has no service that all places have.',
};

type QuotedStops = ReturnType<typeof stopsOf>;

const stopsOf = ({ pickups, packages }: QuoteInput) => ({
  pickups: pickups.map((place) => ({ address: { address: placeAddress(place) } })),
  packages: packages.map(({ place, ...each }) => ({ ...each, address: { address: placeAddress(place) } })),
});

function checkQuote(input: QuotedStops, { pickups, deliveries, products }: LocatedStops & { products: ProductSizes }) {
  const errors = [...checkUse(input).errors];
  const placedAt = (located: LocatedStops['pickups'][number], field: string) => {
    if (located?.ok) return [located.place];
    errors.push({ field, code: 'not_placed', message: located?.message ?? 'The place cannot be found.' });
    return [];
  };
  const order = {
    pickups: input.pickups.flatMap(({ address }, at) =>
      placedAt(pickups[at], `pickups.${at}`).map((place) => ({ address, place })),
    ),
    packages: input.packages.flatMap(({ address, pickupIndex, declaredCentavos = null, ...content }, at) => {
      const path = `packages.${at}`;
      const size = packageSize(content, products, path);
      errors.push(...checkPickupIndex(pickupIndex, input.pickups.length, path), ...size.errors);
      const { dimensions } = size;
      const places = placedAt(deliveries[at], `${path}.place`);
      return places.flatMap((place) =>
        dimensions ? { address, place, pickupIndex, dimensions, declaredCentavos, deliverFrom: null } : [],
      );
    }),
  };
  return { order, errors };
}

/** Moves the error of an address to the place, which a quote has instead. */
const onPlace = ({ field, ...error }: FieldError): FieldError => ({
  ...error,
  field: field.replace(/^(packages\.\d+)\.address\.address$/, '$1.place').replace(/\.address\.address$/, ''),
});
