import { notFound } from '../base/errors.js';
import { formatMoney, parseMoney } from '../base/money.js';
import { listBody, pageOf } from '../http/paging.js';
import type { Rates } from '../orders/pricing.js';
import { addRateCard, currentRateCard, getRateCard, type RateCard, rateCards } from '../orders/rates.js';
import { type OperatorDeps, type OperatorHandlers, pageOfAll, type Schemas } from './deps.js';

type RateOperation = 'addRateCard' | 'listRateCards' | 'getCurrentRateCard' | 'getRateCard';

export const rateCardsHandlers = ({ db }: OperatorDeps): OperatorHandlers<RateOperation> => ({
  addRateCard: async ({ body }) => {
    const rates = fromRates(body);
    return async (trx) => {
      const card = await addRateCard(trx, rates);
      return { status: 201, body: toRateCard(card), headers: { Location: `/operator/v1/rate-cards/${card.version}` } };
    };
  },

  listRateCards: async ({ query }) => {
    const page = pageOf(query);
    return { status: 200, body: listBody(pageOfAll(await rateCards(db), page), page, toRateCard) };
  },

  getCurrentRateCard: async () => ({ status: 200, body: toRateCard(await currentRateCard(db)) }),

  getRateCard: async ({ params }) => {
    const card = await getRateCard(db, params.version);
    if (!card) throw notFound('rate card');
    return { status: 200, body: toRateCard(card) };
  },
});

const fromRates = (input: Schemas['RateCardInput']): Rates => ({
  baseCentavos: parseMoney(input.base),
  perKmCentavos: parseMoney(input.per_km),
  perKgCentavos: parseMoney(input.per_kg),
  perExtraStopCentavos: parseMoney(input.per_extra_stop),
  volumetricCm3PerKg: input.volumetric_cm3_per_kg,
});

const toRateCard = (card: RateCard): Schemas['RateCard'] => ({
  version: card.version,
  base: formatMoney(card.baseCentavos),
  per_km: formatMoney(card.perKmCentavos),
  per_kg: formatMoney(card.perKgCentavos),
  per_extra_stop: formatMoney(card.perExtraStopCentavos),
  volumetric_cm3_per_kg: card.volumetricCm3PerKg,
  created_at: card.createdAt.toISOString(),
});
