import { getAccount } from '../accounts/account.js';
import type { Actor } from '../base/actor.js';
import { toTime } from '../base/clock.js';
import { notFound } from '../base/errors.js';
import { type NoKey, omitUndefined } from '../base/every-key.js';
import { formatMoney, parseMoney } from '../base/money.js';
import { pageOfAll } from '../base/page.js';
import { type AccountCards, cardsOfAccount, giveCard, type TimedCard } from '../carrier/account-cards.js';
import type { Rates } from '../carrier/pricing.js';
import {
  addRateCard,
  cardInForce,
  getRateCard,
  type RateCard,
  rateCardBody,
  rateCards,
  STANDARD,
} from '../carrier/rate-cards.js';
import type { Db } from '../db/connect.js';
import type { AdValorem, BandPrices, ZoneRow, Zones } from '../db/tables/prices.js';
import { listBody, pageOf } from '../http/paging.js';
import { type OrderPreview, previewRates, type RatePreview } from '../orders/rate-preview.js';
import type { Bodies, OperatorDeps, OperatorHandlers, Schemas } from './deps.js';

type RateOperation =
  | 'addRateCard'
  | 'previewRateCard'
  | 'listRateCards'
  | 'getCurrentRateCard'
  | 'getRateCard'
  | 'getUserRateCard'
  | 'setUserRateCard';

export const rateCardsHandlers = ({ db, readList }: OperatorDeps): OperatorHandlers<RateOperation> => ({
  addRateCard: async ({ body: { name, valid_from, ...input } }) => {
    const rates = fromRates(input);
    return async (trx) => {
      const card = await addRateCard(trx, rates, { name, validFrom: toTime(valid_from) });
      return { status: 201, body: toRateCard(card), headers: { Location: `/operator/v1/rate-cards/${card.version}` } };
    };
  },

  previewRateCard: async ({ body: { user_id: userId, ...input }, ctx }) => {
    if (userId !== undefined) await demandAccount(db, ctx.actor, userId);
    const preview = await readList((replica) => previewRates(replica, fromRates(input), userId));
    return async () => ({ status: 200, body: toPreview(preview) });
  },

  listRateCards: async ({ query }) => {
    const page = pageOf(query);
    return { status: 200, body: listBody(pageOfAll(await rateCards(db), page), page, toRateCard) };
  },

  getCurrentRateCard: async ({ query: { name = STANDARD, ...others } }) => {
    others satisfies NoKey;
    const card = await cardInForce(db, name);
    if (!card) throw notFound('rate card of this name in force');
    return { status: 200, body: toRateCard(card) };
  },

  getRateCard: async ({ params }) => {
    const card = await getRateCard(db, params.version);
    if (!card) throw notFound('rate card');
    return { status: 200, body: toRateCard(card) };
  },

  getUserRateCard: async ({ params: { id }, ctx }) => {
    await demandAccount(db, ctx.actor, id);
    return { status: 200, body: toUserCard(id, await cardsOfAccount(db, id)) };
  },

  setUserRateCard: async ({ params: { id }, body: { name, from, ...others }, ctx }) => {
    others satisfies NoKey;
    await demandAccount(db, ctx.actor, id);
    return async (trx) => {
      await giveCard(trx, id, { name, from });
      return { status: 200, body: toUserCard(id, await cardsOfAccount(trx, id)) };
    };
  },
});

/** Throws NOT_FOUND if the account does not exist. */
async function demandAccount(db: Db, actor: Actor, id: string): Promise<void> {
  if (!(await getAccount(db, actor, id))) throw notFound('user');
}

type Prices = Omit<Schemas['RateCardInput'], 'name' | 'valid_from'>;

function fromRates(body: Prices): Rates {
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
  return omitUndefined<Zones>({ weights, rows: rows.map(fromZoneRow), economyDays: economy_days });
}

function fromZoneRow({ up_to_km, economy, ...express }: Schemas['ZoneRowInput']): ZoneRow {
  return { upToKm: up_to_km, ...fromPrices(express), ...(economy && { economy: fromPrices(economy) }) };
}

function fromPrices({ prices, per_further_kg, ...others }: Schemas['ZonePricesInput']): BandPrices {
  others satisfies NoKey;
  return { prices: prices.map(parseMoney), perFurtherKg: parseMoney(per_further_kg) };
}

/** Converts a percentage. With two decimals it is a whole number of hundredths, as money is of centavos. */
function fromAdValorem({ percent, least, ...others }: Schemas['AdValoremInput']): AdValorem {
  others satisfies NoKey;
  return { basisPoints: parseMoney(percent), leastCentavos: parseMoney(least) };
}

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
  ...rateCardBody(card),
  // The name and the start are left out if they are the defaults.
  name: card.name === STANDARD ? undefined : card.name,
  valid_from: isAnnounced(card) ? card.valid_from.toISOString() : undefined,
  created_at: card.created_at.toISOString(),
});

/**
 * True if a rate card takes effect later than it was added. Otherwise both times are the same moment, rounded in two
 * ways.
 */
const isAnnounced = ({ valid_from: from, created_at: at }: RateCard): boolean => from.getTime() - at.getTime() > 1;

const toUserCard = (userId: string, { current, announced }: AccountCards): Bodies['UserRateCard'] => ({
  user_id: userId,
  ...toTimedCard(current),
  announced: announced && toTimedCard(announced),
});

const toTimedCard = ({ name, card, validFrom }: TimedCard): Bodies['AnnouncedRateCard'] => ({
  name,
  version: card.version,
  valid_from: validFrom.toISOString(),
});
