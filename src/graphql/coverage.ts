import type { Coverage, PlaceInput, QueryCoverageArgs } from '../../generated/graphql.js';
import { invalid } from '../base/errors.js';
import type { NoKey } from '../base/every-key.js';
import { coverageAt, type NamedPlace } from '../orders/coverage.js';
import type { GraphqlDeps } from './context.js';

export async function coverage(
  { db, planning }: GraphqlDeps,
  accountId: string,
  { place, pickup }: QueryCoverageArgs,
): Promise<Coverage> {
  const named = placeIn(place, 'place');
  const from = pickup ? placeIn(pickup, 'pickup') : undefined;
  const [answer] = await coverageAt({ db, planning }, accountId, [named], from);
  if (!answer) throw new Error('coverage lacks an answer');
  const {
    city = null,
    state = null,
    isServed,
    refusal,
    collects,
    delivers,
    services,
    weekdays,
    extraWorkdays,
  } = answer;
  return {
    postalCode: 'postalCode' in named ? named.postalCode : null,
    city,
    state,
    served: isServed,
    collects,
    delivers,
    services,
    weekdays,
    extraWorkdays,
    reason: refusal?.code ?? null,
    message: refusal?.message ?? null,
  };
}

/** Reads the place. Throws VALIDATION_ERROR unless it is named completely and in exactly one way. */
export function placeIn({ postalCode, city, state, ...others }: PlaceInput, field: string): NamedPlace {
  others satisfies NoKey;
  if (postalCode != null && city == null && state == null) return { postalCode };
  if (postalCode == null && city != null && state != null) return { city, state };
  throw invalid([{ field, code: 'contradiction', message: 'must have postalCode, or city and state' }]);
}
