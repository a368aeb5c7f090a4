import type { GraphQLSchema } from 'graphql';
import type { Quote, QuoteInput } from '../../generated/graphql.js';
import { invalid } from '../base/errors.js';
import { type NoKey, omitUndefined } from '../base/every-key.js';
import { type QuoteInput as PlacesToQuote, quote } from '../orders/quote.js';
import { inputCheck } from './constraints.js';
import type { GraphqlDeps } from './context.js';
import { placeIn } from './coverage.js';
import { toCentavos, toDimensions } from './order-input.js';
import { toPricing } from './order-types.js';

/** Returns the price of packages. Throws VALIDATION_ERROR with every wrong field. */
export function quoteResolver(deps: GraphqlDeps, schema: GraphQLSchema) {
  const check = inputCheck(schema, 'QuoteInput');
  return async (accountId: string, input: QuoteInput): Promise<Quote> => {
    const errors = check(input, '');
    if (errors.length > 0) throw invalid(errors);
    const services = await quote(deps, accountId, toPlaces(input));
    return {
      services: services.map(({ service, pricing, priceUntil, lastDate }) => ({
        service,
        pricing: toPricing(pricing, priceUntil),
        promisedDate: lastDate,
      })),
    };
  };
}

function toPlaces({ pickups, packages, ...others }: QuoteInput): PlacesToQuote {
  others satisfies NoKey;
  return {
    pickups: pickups.map((place, at) => placeIn(place, `pickups.${at}`)),
    packages: packages.map(({ pickupIndex, place, dimensions, declaredValue, ...rest }, at) => {
      rest satisfies NoKey;
      return omitUndefined<PlacesToQuote['packages'][number]>({
        pickupIndex: pickupIndex ?? 0,
        place: placeIn(place, `packages.${at}.place`),
        dimensions: toDimensions(dimensions),
        items: undefined,
        declaredCentavos: toCentavos(declaredValue),
      });
    }),
  };
}
