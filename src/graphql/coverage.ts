import type { Coverage, QueryCoverageArgs } from '../../generated/graphql.js';
import { coverageAt } from '../orders/coverage.js';
import type { GraphqlDeps } from './context.js';
import { placeIn } from './quote.js';

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
