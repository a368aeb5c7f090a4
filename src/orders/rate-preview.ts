import { sql } from 'kysely';
import { invalid } from '../base/errors.js';
import type { Centavos } from '../base/money.js';
import type { Place } from '../base/place.js';
import { cardByAccount } from '../carrier/account-cards.js';
import { newestOf } from '../carrier/newest-orders.js';
import { isUrban, type PricedPackage, price, type Rates, rateErrors } from '../carrier/pricing.js';
import { currentRateCard } from '../carrier/rate-cards.js';
import type { Db } from '../db/connect.js';
import { createdNear, inPartitionsOf } from '../db/near.js';
import type { Service } from '../db/tables/prices.js';
import { aloneMetres } from '../routing/embedded-distances.js';

export interface RatePreview {
  currentVersion: number;
  orders: OrderPreview[];
}

/** The prices of an order: by the card of its time, by its account's card now, and by the new card. */
export interface OrderPreview {
  id: string;
  externalId: string | null;
  createdAt: Date;
  packageCount: number;
  totalCentavos: Centavos;
  currentCentavos: Centavos;
  newCentavos: Centavos;
}

/**
 * Prices the 100 newest orders, of all accounts or of one, by new rates. Writes nothing. Throws VALIDATION_ERROR as
 * `addRateCard` does. If only part of an order goes by courier, its courier kilometres are known for its own urban
 * zone. For another urban zone the preview takes the sum of the direct distances, which is the maximum.
 */
export async function previewRates(db: Db, rates: Rates, accountId?: string): Promise<RatePreview> {
  const errors = rateErrors(rates);
  if (errors.length > 0) throw invalid(errors);
  const orders = await pricedOrders(db, accountId);
  const accounts = new Set([
    ...orders.map((order) => order.accountId),
    ...(accountId === undefined ? [] : [accountId]),
  ]);
  const cards = await cardByAccount(db, [...accounts]);
  const current = (accountId === undefined ? undefined : cards.get(accountId)) ?? (await currentRateCard(db));
  const packages = await packagesOf(db, orders);
  const pricedBy = (card: Rates, order: NewestOrder): Centavos => {
    const priced = packages.get(order.id) ?? [];
    const service = card.zones?.economyDays === undefined ? 'express' : order.service;
    const pickupCount = new Set(priced.map(({ pickupIndex }) => pickupIndex)).size;
    const route = { pickupCount, courierMetres: courierMetres(card, order, priced) };
    return price({ version: current.version, ...card }, service, route, priced).totalCentavos;
  };
  return {
    currentVersion: current.version,
    orders: orders.map((order) => ({
      ...order,
      currentCentavos: pricedBy(cards.get(order.accountId) ?? current, order),
      newCentavos: pricedBy(rates, order),
    })),
  };
}

function courierMetres(card: Rates, order: NewestOrder, packages: readonly PricedPackage[]): number {
  const isOfOwnCard = order.urbanKm === card.urban_km && order.courierKm !== null;
  if (isOfOwnCard) return Math.round(Number(order.courierKm) * 1000);
  const isByCourier = packages.every(({ directMetres }) => isUrban(card, directMetres));
  return isByCourier ? order.distanceMetres : Number.POSITIVE_INFINITY;
}

interface NewestOrder extends Omit<OrderPreview, 'currentCentavos' | 'newCentavos'> {
  accountId: string;
  distanceMetres: number;
  service: Service;
  /** The urban kilometres of the card that priced the order. */
  urbanKm: number | null;
  courierKm: string | null;
}

async function pricedOrders(db: Db, accountId: string | undefined): Promise<NewestOrder[]> {
  const rows = await newestOf((since, most) => {
    const query = db
      .selectFrom('orders')
      .innerJoin('rate_cards', 'rate_cards.version', 'rate_card_version')
      .select([
        'orders.id',
        'account_id as accountId',
        'external_id as externalId',
        'orders.created_at as createdAt',
        'package_count as packageCount',
        'distance_metres as distanceMetres',
        'total_centavos as totalCentavos',
        'service',
        'urban_km as urbanKm',
        sql<string | null>`jsonb_path_query_first(price_lines, '$[*] ? (@.kind == "distance").quantity') #>> '{}'`.as(
          'courierKm',
        ),
      ])
      .where(createdNear(since, undefined))
      .orderBy('orders.created_at', 'desc')
      .orderBy('orders.id', 'desc')
      .limit(most);
    return (accountId === undefined ? query : query.where('account_id', '=', accountId)).execute();
  });
  return rows.map(({ totalCentavos, ...order }) => ({ ...order, totalCentavos: Number(totalCentavos) }));
}

interface StoredPackage extends Omit<PricedPackage, 'directMetres'> {
  isCancelled: boolean;
  directMetres: number | null;
  from: Place;
  to: Place;
}

/**
 * Reads the facts that price the packages of orders. As JSON, because the driver would parse every column of every row.
 */
async function packagesOf(db: Db, orders: readonly NewestOrder[]): Promise<Map<string, PricedPackage[]>> {
  const ids = orders.map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const place = (table: string) => {
    const fields = ['latitude', 'longitude', 'precision', 'city', 'state'].map((name) => `'${name}', ${table}.${name}`);
    return sql.raw(`json_build_object(${fields.join(', ')})`);
  };
  const { rows } = await sql<{ orderId: string; packages: StoredPackage[] }>`
    select p.order_id as "orderId", json_agg(json_build_object(
      'dimensions', json_build_object('width', width, 'height', height, 'length', length, 'weight', weight),
      'pickupIndex', pickup_position, 'declaredCentavos', declared_centavos, 'directMetres', direct_metres,
      'from', ${place('u')}, 'to', ${place('p')}, 'isCancelled', s.stage = 'cancelled')) as packages
    from packages p join package_statuses s on s.code = p.status_code
      join lateral (
        select * from pickups where order_id = p.order_id and position = p.pickup_position and ${inPartitionsOf('order_id', ids)}
        limit 1) u on true
    where p.order_id = any(${ids}::uuid[]) and ${inPartitionsOf('p.loggi_key', ids)}
    group by p.order_id`.execute(db);
  return new Map(rows.map(({ orderId, packages }) => [orderId, paidFor(packages).map(withDirect)]));
}

/**
 * The packages that are paid for: those not cancelled, or all of them if every one is cancelled (the order keeps its
 * price then).
 */
function paidFor(packages: readonly StoredPackage[]): readonly StoredPackage[] {
  const carried = packages.filter(({ isCancelled }) => !isCancelled);
  return carried.length > 0 ? carried : packages;
}

/** Computes the direct distance if it is missing: releases before it was stored planned such packages. */
const withDirect = ({ directMetres, from, to, isCancelled: _, ...priced }: StoredPackage): PricedPackage => ({
  ...priced,
  directMetres: directMetres ?? aloneMetres(from, to),
});
