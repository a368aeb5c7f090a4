import { type Selectable, sql } from 'kysely';
import type { Dimensions } from '../base/dimensions.js';
import { invalid } from '../base/errors.js';
import type { Centavos } from '../base/money.js';
import type { Db } from '../db/connect.js';
import { createdNear, recently } from '../db/created-near.js';
import { near } from '../db/near.js';
import type { RateCards } from '../db/tables/database.js';
import { transaction } from '../db/transaction.js';
import { price, type Rates, rateErrors } from './pricing.js';

export interface RateCard extends Rates {
  version: number;
  createdAt: Date;
}

export async function currentRateCard(db: Db): Promise<RateCard> {
  const query = db.selectFrom('rate_cards').selectAll().orderBy('version', 'desc').limit(1);
  return toRateCard(await query.executeTakeFirstOrThrow());
}

export async function getRateCard(db: Db, version: number): Promise<RateCard | undefined> {
  const row = await db.selectFrom('rate_cards').selectAll().where('version', '=', version).executeTakeFirst();
  return row && toRateCard(row);
}

export async function rateCards(db: Db): Promise<RateCard[]> {
  const rows = await db.selectFrom('rate_cards').selectAll().orderBy('version', 'desc').execute();
  return rows.map(toRateCard);
}

/** Puts the next version in force. Throws VALIDATION_ERROR when it could price an order above what `Money` can say. */
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

export interface RatePreview {
  currentVersion: number;
  orders: OrderPreview[];
}

/** An order by the card of its time, by the one in force, and by the new one. */
export interface OrderPreview {
  id: string;
  externalId: string | null;
  createdAt: Date;
  packageCount: number;
  totalCentavos: Centavos;
  currentCentavos: Centavos;
  newCentavos: Centavos;
}

const MOST_ORDERS = 100;

/** Prices the 100 newest orders anew, and writes nothing. Throws VALIDATION_ERROR as `addRateCard` does. */
export async function previewRates(db: Db, rates: Rates): Promise<RatePreview> {
  const errors = rateErrors(rates);
  if (errors.length > 0) throw invalid(errors);
  const current = await currentRateCard(db);
  const orders = await newestOrders(db);
  const sizes = await sizesOf(db, orders);
  const pricedBy = (card: Rates, { id, distanceMetres, pickupCount }: NewestOrder): Centavos =>
    price({ version: current.version, ...card }, { distanceMetres, pickupCount }, sizes.get(id) ?? []).totalCentavos;
  return {
    currentVersion: current.version,
    orders: orders.map((order) => ({
      ...order,
      currentCentavos: pricedBy(current, order),
      newCentavos: pricedBy(rates, order),
    })),
  };
}

interface NewestOrder extends Omit<OrderPreview, 'currentCentavos' | 'newCentavos'> {
  distanceMetres: number;
  pickupCount: number;
}

/** Looks at recent partitions first, as they nearly always have enough. */
async function newestOrders(db: Db): Promise<NewestOrder[]> {
  const read = (since?: Date) =>
    db
      .selectFrom('orders')
      .select([
        'id',
        'external_id as externalId',
        'created_at as createdAt',
        'package_count as packageCount',
        'pickup_count as pickupCount',
        'distance_metres as distanceMetres',
        'total_centavos as totalCentavos',
      ])
      .where(createdNear(since, undefined))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(MOST_ORDERS)
      .execute();
  const recent = await read(recently());
  const rows = recent.length === MOST_ORDERS ? recent : await read();
  return rows.map(({ totalCentavos, ...order }) => ({ ...order, totalCentavos: Number(totalCentavos) }));
}

/** Sizes of the packages of orders; as JSON, as the driver would take each column of each row apart. */
async function sizesOf(db: Db, orders: readonly NewestOrder[]): Promise<Map<string, Dimensions[]>> {
  const ids = orders.map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ orderId: string; sizes: Dimensions[] }>`
    select order_id as "orderId",
      json_agg(json_build_object('width', width, 'height', height, 'length', length, 'weight', weight)) as sizes
    from packages where order_id = any(${ids}::uuid[]) and ${near('loggi_key', ids)}
    group by order_id`.execute(db);
  return new Map(rows.map(({ orderId, sizes }) => [orderId, sizes]));
}
