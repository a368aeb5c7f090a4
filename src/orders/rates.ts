import { type Selectable, sql } from 'kysely';
import { invalid } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import type { RateCards } from '../db/tables/database.js';
import { transaction } from '../db/transaction.js';
import { type Rates, rateErrors } from './pricing.js';

export interface RateCard extends Rates {
  version: number;
  createdAt: Date;
}

/** The card that orders are priced by now: the latest version. */
export async function currentRateCard(db: Db): Promise<RateCard> {
  const query = db.selectFrom('rate_cards').selectAll().orderBy('version', 'desc').limit(1);
  return toRateCard(await query.executeTakeFirstOrThrow());
}

export async function getRateCard(db: Db, version: number): Promise<RateCard | undefined> {
  const row = await db.selectFrom('rate_cards').selectAll().where('version', '=', version).executeTakeFirst();
  return row && toRateCard(row);
}

/** Every version, the newest first. */
export async function rateCards(db: Db): Promise<RateCard[]> {
  const rows = await db.selectFrom('rate_cards').selectAll().orderBy('version', 'desc').execute();
  return rows.map(toRateCard);
}

/**
 * Puts the next version in force. Orders that are priced keep theirs. Throws VALIDATION_ERROR when an order could be priced
 * above what `Money` can say.
 */
export async function addRateCard(db: Db, rates: Rates): Promise<RateCard> {
  const errors = rateErrors(rates);
  if (errors.length > 0) throw invalid(errors);
  return transaction(db, async (trx) => {
    // Versions follow one another without a gap; orders may go on referring to cards meanwhile.
    await sql`lock table rate_cards in share row exclusive mode`.execute(trx);
    const row = await trx
      .insertInto('rate_cards')
      .values(({ selectFrom }) => ({
        version: selectFrom('rate_cards').select(sql<number>`coalesce(max(version), 0) + 1`.as('version')),
        base_centavos: rates.baseCentavos,
        per_km_centavos: rates.perKmCentavos,
        per_kg_centavos: rates.perKgCentavos,
        per_extra_stop_centavos: rates.perExtraStopCentavos,
        volumetric_cm3_per_kg: rates.volumetricCm3PerKg,
      }))
      .returningAll()
      .executeTakeFirstOrThrow();
    return toRateCard(row);
  });
}

export function toRateCard(row: Selectable<RateCards>): RateCard {
  return {
    version: row.version,
    baseCentavos: row.base_centavos,
    perKmCentavos: row.per_km_centavos,
    perKgCentavos: row.per_kg_centavos,
    perExtraStopCentavos: row.per_extra_stop_centavos,
    volumetricCm3PerKg: row.volumetric_cm3_per_kg,
    createdAt: row.created_at,
  };
}
