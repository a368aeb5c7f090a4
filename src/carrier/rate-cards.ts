import { type Selectable, sql } from 'kysely';
import { invalid } from '../base/errors.js';
import { formatMoney } from '../base/money.js';
import type { Db } from '../db/connect.js';
import { row } from '../db/row.js';
import type { BandPrices, RateCards } from '../db/tables/prices.js';
import { transaction } from '../db/transaction.js';
import { demandFuture } from '../db/versions.js';
import { type Rates, rateErrors } from './pricing.js';

// Rate cards are versions under names. A row never changes and is never removed, because an order keeps the version
// that priced it. `standard` prices the orders of every account without another name (account-cards.ts).

export type RateCard = Selectable<RateCards>;

export const STANDARD = 'standard';

/** The card of a name that is in force now: the one with the latest start. If several have that start, the newest. */
export const cardInForce = (db: Db, name: string): Promise<RateCard | undefined> =>
  db
    .selectFrom('rate_cards')
    .selectAll()
    .where('name', '=', name)
    .where('valid_from', '<=', sql<Date>`now()`)
    .orderBy('valid_from', 'desc')
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();

/** The card of `standard` that is in force. Every database has one from its first migration on. */
export async function currentRateCard(db: Db): Promise<RateCard> {
  const card = await cardInForce(db, STANDARD);
  if (!card) throw new Error('no standard rate card is in force');
  return card;
}

export const getRateCard = (db: Db, version: number): Promise<RateCard | undefined> =>
  db.selectFrom('rate_cards').selectAll().where('version', '=', version).executeTakeFirst();

export const rateCards = (db: Db): Promise<RateCard[]> =>
  db.selectFrom('rate_cards').selectAll().orderBy('version', 'desc').execute();

/** Cache of rate cards by version, for each database. Cards do not change. */
const knownCards = new WeakMap<Db, Map<number, RateCard>>();
const MAX_KNOWN = 1_000;

/** The cards of these versions. A process reads each card once. */
export async function cardsOf(db: Db, versions: readonly number[]): Promise<ReadonlyMap<number, RateCard>> {
  const known = knownCards.get(db) ?? new Map<number, RateCard>();
  const missing = versions.filter((version) => !known.has(version));
  if (missing.length === 0) return known;
  const cards = await db.selectFrom('rate_cards').selectAll().where('version', 'in', missing).execute();
  const kept = known.size + cards.length > MAX_KNOWN ? [] : known;
  const all = new Map([...kept, ...cards.map((card) => [card.version, card] as const)]);
  if (!db.isTransaction) knownCards.set(db, all);
  return new Map([...known, ...all]);
}

interface Start {
  name?: string | undefined;
  /** The start of the card. Undefined means at once. */
  validFrom?: Date | undefined;
}

/**
 * Adds the next version. Throws VALIDATION_ERROR if it could price an order above the maximum of `Money`, or if it
 * starts in the past or more than a year ahead.
 */
export async function addRateCard(db: Db, rates: Rates, { name = STANDARD, validFrom }: Start = {}): Promise<RateCard> {
  const errors = rateErrors(rates);
  if (errors.length > 0) throw invalid(errors);
  return transaction(db, async (trx) => {
    // The lock keeps versions without a gap. Orders may still refer to cards meanwhile.
    await sql`lock table rate_cards in share row exclusive mode`.execute(trx);
    if (validFrom) await demandStart(trx, 'validFrom', validFrom);
    return trx
      .insertInto('rate_cards')
      .values(({ selectFrom }) =>
        row<'rate_cards'>({
          ...rates,
          name,
          // A card that arrives a minute late starts now, because the past does not change.
          valid_from: sql<Date>`greatest(${validFrom ?? null}::timestamptz, now())`,
          version: selectFrom('rate_cards').select(sql<number>`coalesce(max(version), 0) + 1`.as('version')),
          zones: rates.zones && JSON.stringify(rates.zones),
          ad_valorem: rates.ad_valorem && JSON.stringify(rates.ad_valorem),
        }),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/** Throws VALIDATION_ERROR for a time more than a year ahead, or more than a minute ago: clocks differ. */
export async function demandStart(trx: Db, field: string, validFrom: Date | string): Promise<void> {
  await demandFuture(trx, field, validFrom);
  const { rows } = await sql<{ isFar: boolean }>`
    select ${validFrom}::timestamptz > now() + interval '1 year' as "isFar"`.execute(trx);
  if (rows[0]?.isFar) throw invalid([{ field, code: 'too_late', message: 'must be at most a year ahead' }]);
}

/** The prices of a card as the contracts show them. */
export const rateCardBody = (card: RateCard) => ({
  version: card.version,
  base: formatMoney(card.base_centavos),
  per_km: formatMoney(card.per_km_centavos),
  per_kg: formatMoney(card.per_kg_centavos),
  per_extra_stop: formatMoney(card.per_extra_stop_centavos),
  volumetric_cm3_per_kg: card.volumetric_cm3_per_kg,
  urban_km: card.urban_km ?? undefined,
  zones: card.zones ? toZones(card.zones) : undefined,
  ad_valorem: card.ad_valorem ? toAdValorem(card.ad_valorem) : undefined,
});

const toZones = ({ weights, rows, economyDays }: NonNullable<RateCard['zones']>) => ({
  weights,
  rows: rows.map(({ upToKm, economy, ...express }) => ({
    up_to_km: upToKm,
    ...toPrices(express),
    economy: economy && toPrices(economy),
  })),
  economy_days: economyDays,
});

const toPrices = ({ prices, perFurtherKg }: BandPrices) => ({
  prices: prices.map(formatMoney),
  per_further_kg: formatMoney(perFurtherKg),
});

const toAdValorem = ({ basisPoints, leastCentavos }: NonNullable<RateCard['ad_valorem']>) => ({
  percent: formatMoney(basisPoints),
  least: formatMoney(leastCentavos),
});
