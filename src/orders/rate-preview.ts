import { sql } from 'kysely';
import type { Dimensions } from '../base/dimensions.js';
import { invalid } from '../base/errors.js';
import type { Centavos } from '../base/money.js';
import type { Db } from '../db/connect.js';
import { createdNear, recently } from '../db/created-near.js';
import { near } from '../db/near.js';
import { price, type Rates, rateErrors } from './pricing.js';
import { currentRateCard } from './rates.js';

/** What the newest orders would cost by a card that is not in force. */
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

/** Prices the 100 newest orders anew, and writes nothing. Throws VALIDATION_ERROR for what `addRateCard` refuses. */
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
      id: order.id,
      externalId: order.externalId,
      createdAt: order.createdAt,
      packageCount: order.packageCount,
      totalCentavos: order.totalCentavos,
      currentCentavos: pricedBy(current, order),
      newCentavos: pricedBy(rates, order),
    })),
  };
}

interface NewestOrder extends Omit<OrderPreview, 'currentCentavos' | 'newCentavos'> {
  distanceMetres: number;
  pickupCount: number;
}

/** Recent partitions are looked at first, as they nearly always have enough. */
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

/** The sizes of the packages of orders; as JSON, as the driver would take each column of each row apart. */
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
