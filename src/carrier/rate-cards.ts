import { type Selectable, sql } from 'kysely';
import { invalid } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { row } from '../db/row.js';
import type { RateCards } from '../db/tables/prices.js';
import { transaction } from '../db/transaction.js';
import { type Rates, rateErrors } from './pricing.js';

export type RateCard = Selectable<RateCards>;

export const currentRateCard = (db: Db): Promise<RateCard> =>
  db.selectFrom('rate_cards').selectAll().orderBy('version', 'desc').limit(1).executeTakeFirstOrThrow();

export const getRateCard = (db: Db, version: number): Promise<RateCard | undefined> =>
  db.selectFrom('rate_cards').selectAll().where('version', '=', version).executeTakeFirst();

export const rateCards = (db: Db): Promise<RateCard[]> =>
  db.selectFrom('rate_cards').selectAll().orderBy('version', 'desc').execute();

/** Puts the next version in force. Throws VALIDATION_ERROR when it could price an order above what `Money` can say. */
export async function addRateCard(db: Db, rates: Rates): Promise<RateCard> {
  const errors = rateErrors(rates);
  if (errors.length > 0) throw invalid(errors);
  return transaction(db, async (trx) => {
    // Versions follow one another without a gap; orders may go on referring to cards meanwhile.
    await sql`lock table rate_cards in share row exclusive mode`.execute(trx);
    return trx
      .insertInto('rate_cards')
      .values(({ selectFrom }) =>
        row<'rate_cards'>({
          ...rates,
          version: selectFrom('rate_cards').select(sql<number>`coalesce(max(version), 0) + 1`.as('version')),
          zones: rates.zones && JSON.stringify(rates.zones),
          ad_valorem: rates.ad_valorem && JSON.stringify(rates.ad_valorem),
        }),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}
