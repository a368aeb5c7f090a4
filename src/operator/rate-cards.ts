import { notFound } from '../base/errors.js';
import { given, type NoKey } from '../base/every-key.js';
import { formatMoney, parseMoney } from '../base/money.js';
import { pageOfAll } from '../base/page.js';
import type { Rates } from '../carrier/pricing.js';
import { addRateCard, currentRateCard, getRateCard, type RateCard, rateCards } from '../carrier/rate-cards.js';
import type { AdValorem, BandPrices, ZoneRow, Zones } from '../db/tables/prices.js';
import { listBody, pageOf } from '../http/paging.js';
import { type OrderPreview, previewRates, type RatePreview } from '../orders/rate-preview.js';
import type { Bodies, OperatorDeps, OperatorHandlers, Schemas } from './deps.js';

type RateOperation = 'addRateCard' | 'previewRateCard' | 'listRateCards' | 'getCurrentRateCard' | 'getRateCard';

export const rateCardsHandlers = ({ db, readList }: OperatorDeps): OperatorHandlers<RateOperation> => ({
  addRateCard: async ({ body }) => {
    const rates = fromRates(body);
    return async (trx) => {
      const card = await addRateCard(trx, rates);
      return { status: 201, body: toRateCard(card), headers: { Location: `/operator/v1/rate-cards/${card.version}` } };
    };
  },

  previewRateCard: async ({ body }) => {
    const preview = await readList((replica) => previewRates(replica, fromRates(body)));
    return async () => ({ status: 200, body: toPreview(preview) });
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

function fromRates(body: Schemas['RateCardInput']): Rates {
  const { base, per_km, per_kg, per_extra_stop, volumetric_cm3_per_kg, urban_km, zones, ad_valorem, ...others } = body;
  others satisfies NoKey;
  return {
    base_centavos: parseMoney(base),
    per_km_centavos: parseMoney(per_km),
    per_kg_centavos: parseMoney(per_kg),
    per_extra_stop_centavos: parseMoney(per_extra_stop),
    volumetric_cm3_per_kg,
    urban_km: urban_km ?? (zones ? URBAN_KM : null),
    zones: zones ? fromZones(zones) : null,
    ad_valorem: ad_valorem ? fromAdValorem(ad_valorem) : null,
  };
}

const URBAN_KM = 60;

function fromZones({ weights, rows, economy_days, ...others }: Schemas['ZonesInput']): Zones {
  others satisfies NoKey;
  return given<Zones>({ weights, rows: rows.map(fromZoneRow), economyDays: economy_days });
}

function fromZoneRow({ up_to_km, economy, ...express }: Schemas['ZoneRowInput']): ZoneRow {
  return { upToKm: up_to_km, ...fromPrices(express), ...(economy && { economy: fromPrices(economy) }) };
}

function fromPrices({ prices, per_further_kg, ...others }: Schemas['ZonePricesInput']): BandPrices {
  others satisfies NoKey;
  return { prices: prices.map(parseMoney), perFurtherKg: parseMoney(per_further_kg) };
}

/** A percentage of two places is as many hundredths as money is centavos. */
function fromAdValorem({ percent, least, ...others }: Schemas['AdValoremInput']): AdValorem {
  others satisfies NoKey;
  return { basisPoints: parseMoney(percent), leastCentavos: parseMoney(least) };
}

const toZones = ({ weights, rows, economyDays }: Zones): Bodies['Zones'] => ({
  weights,
  rows: rows.map(({ upToKm, economy, ...express }) => ({
    up_to_km: upToKm,
    ...toPrices(express),
    economy: economy && toPrices(economy),
  })),
  economy_days: economyDays,
});

const toPrices = ({ prices, perFurtherKg }: BandPrices): Bodies['ZonePrices'] => ({
  prices: prices.map(formatMoney),
  per_further_kg: formatMoney(perFurtherKg),
});

const toAdValorem = ({ basisPoints, leastCentavos }: AdValorem): Bodies['AdValorem'] => ({
  percent: formatMoney(basisPoints),
  least: formatMoney(leastCentavos),
});

function toPreview({ currentVersion, orders }: RatePreview): Bodies['RatePreview'] {
  const count = (isCounted: (order: OrderPreview) => boolean) => orders.filter(isCounted).length;
  const sum = (part: 'currentCentavos' | 'newCentavos') =>
    formatMoney(orders.reduce((total, order) => total + order[part], 0));
  return {
    current_version: currentVersion,
    order_count: orders.length,
    dearer_count: count(({ currentCentavos, newCentavos }) => newCentavos > currentCentavos),
    cheaper_count: count(({ currentCentavos, newCentavos }) => newCentavos < currentCentavos),
    current_total: sum('currentCentavos'),
    new_total: sum('newCentavos'),
    orders: orders.map(toOrderPreview),
  };
}

const toOrderPreview = (order: OrderPreview): Bodies['OrderPreview'] => ({
  order_id: order.id,
  external_id: order.externalId ?? undefined,
  created_at: order.createdAt.toISOString(),
  package_count: order.packageCount,
  total: formatMoney(order.totalCentavos),
  current_total: formatMoney(order.currentCentavos),
  new_total: formatMoney(order.newCentavos),
});

const toRateCard = (card: RateCard): Bodies['RateCard'] => ({
  version: card.version,
  base: formatMoney(card.base_centavos),
  per_km: formatMoney(card.per_km_centavos),
  per_kg: formatMoney(card.per_kg_centavos),
  per_extra_stop: formatMoney(card.per_extra_stop_centavos),
  volumetric_cm3_per_kg: card.volumetric_cm3_per_kg,
  urban_km: card.urban_km ?? undefined,
  zones: card.zones ? toZones(card.zones) : undefined,
  ad_valorem: card.ad_valorem ? toAdValorem(card.ad_valorem) : undefined,
  created_at: card.created_at.toISOString(),
});
