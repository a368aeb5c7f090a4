import { invalid } from '../base/errors.js';
import { type NoKey, omitUndefined } from '../base/every-key.js';
import { onceAlone } from '../idempotency/once.js';
import type { NamedPlace } from '../orders/coverage.js';
import { type QuotedService, type QuoteInput, quote } from '../orders/quote.js';
import type { Bodies, RestDeps, Schemas, SomeHandlers } from './deps.js';
import { toCentavos, toDimensions, toItem } from './order-input.js';
import { toPricing } from './orders.js';

export const quotesHandlers = (deps: RestDeps) =>
  ({
    quote: async ({ body, ctx }) => {
      const services = await quote(deps, ctx.actor.accountId, toQuoteInput(body));
      const reply = { status: 200 as const, body: { services: services.map(toServiceEstimate) } };
      const commit = async () => reply;
      // Without an idempotency key there is nothing to write, so there is no transaction.
      return { commit, commitUnder: (scope) => onceAlone(deps.db, scope, commit) };
    },
  }) satisfies SomeHandlers;

function toQuoteInput({ pickups, packages, ...others }: Schemas['QuoteCreate']): QuoteInput {
  others satisfies NoKey;
  return {
    pickups: pickups.map((place, at) => toPlace(place, `pickups.${at}`)),
    packages: packages.map(({ pickup_index, place, dimensions, items, declared_value, ...rest }, at) => {
      rest satisfies NoKey;
      return omitUndefined<QuoteInput['packages'][number]>({
        pickupIndex: pickup_index ?? 0,
        place: toPlace(place, `packages.${at}.place`),
        dimensions: dimensions && toDimensions(dimensions),
        items: items?.map(toItem),
        declaredCentavos: toCentavos(declared_value),
      });
    }),
  };
}

/** Reads the place. Throws VALIDATION_ERROR unless it is named completely and in exactly one way. */
function toPlace({ postal_code, city, state, ...others }: Schemas['QuotePlace'], field: string): NamedPlace {
  others satisfies NoKey;
  if (postal_code !== undefined && city === undefined && state === undefined) return { postalCode: postal_code };
  if (postal_code === undefined && city !== undefined && state !== undefined) return { city, state };
  throw invalid([{ field, code: 'contradiction', message: 'must have postal_code, or city and state' }]);
}

const toServiceEstimate = ({ service, pricing, priceUntil, lastDate }: QuotedService): Bodies['ServiceEstimate'] => ({
  service,
  pricing: toPricing(pricing, priceUntil),
  promised_date: lastDate,
});
