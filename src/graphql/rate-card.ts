import type { AccountPrices, PriceCard, Zones } from '../../generated/graphql.js';
import { formatMoney } from '../base/money.js';
import { cardsOfAccount, type TimedCard } from '../carrier/account-cards.js';
import type { Db } from '../db/connect.js';
import type { BandPrices, Zones as StoredZones } from '../db/tables/prices.js';

/** The prices of an account. The name of its rate card is left out, because it belongs to the operator. */
export async function rateCard(db: Db, accountId: string): Promise<AccountPrices> {
  const { current, announced } = await cardsOfAccount(db, accountId);
  return { current: toCard(current), announced: announced ? toCard(announced) : null };
}

const toCard = ({ card, validFrom }: TimedCard): PriceCard => ({
  version: card.version,
  validFrom: validFrom.toISOString(),
  base: formatMoney(card.base_centavos),
  perKm: formatMoney(card.per_km_centavos),
  perKg: formatMoney(card.per_kg_centavos),
  perExtraStop: formatMoney(card.per_extra_stop_centavos),
  volumetricCm3PerKg: card.volumetric_cm3_per_kg,
  urbanKm: card.urban_km,
  zones: card.zones && toZones(card.zones),
  // A percentage with two decimals is a whole number of hundredths, as money is of centavos.
  adValorem: card.ad_valorem && {
    percent: formatMoney(card.ad_valorem.basisPoints),
    least: formatMoney(card.ad_valorem.leastCentavos),
  },
});

const toZones = ({ weights, rows, economyDays }: StoredZones): Zones => ({
  weights,
  economyDays: economyDays ?? null,
  rows: rows.map(({ upToKm, economy, ...express }) => ({
    upToKm,
    ...toPrices(express),
    economy: economy ? toPrices(economy) : null,
  })),
});

const toPrices = ({ prices, perFurtherKg }: BandPrices) => ({
  prices: prices.map(formatMoney),
  perFurtherKg: formatMoney(perFurtherKg),
});
