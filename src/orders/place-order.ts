import { sql } from 'kysely';
import { conflict } from '../base/errors.js';
import { newId } from '../base/ids.js';
import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import { addPackages } from '../packages/add-packages.js';
import { stopRow } from '../packages/stop.js';
import type { Order } from './order.js';
import type { PlannedOrder } from './plan-order.js';

/**
 * Writes a planned order with its packages, their first movements and the notifications of these, all or nothing, in a number
 * of statements that does not depend on how many there are. Throws CONFLICT when the account has an order of this externalId.
 */
export function placeOrder(db: Db, planned: PlannedOrder): Promise<Order> {
  return transaction(db, async (trx) => {
    const id = newId();
    const createdAt = await insertOrder(trx, id, planned);
    const { accountId, externalId, paymentMethodId, pricing, route, pickups } = planned;
    const packages = await addPackages(trx, { orderId: id, accountId }, planned.packages);
    const head = {
      id,
      accountId,
      externalId,
      status: 'created' as const,
      paymentMethodId,
      createdAt,
      updatedAt: createdAt,
    };
    return { ...head, pricing, route, pickups, packages, version: 1 };
  });
}

/** The order and its pickups. An externalId that is taken inserts nothing instead of failing, which would end the transaction. */
async function insertOrder(trx: Db, id: string, planned: PlannedOrder): Promise<Date> {
  const { accountId, externalId, paymentMethodId, pricing, route, pickups, packages } = planned;
  const stops = pickups.map((pickup, position) => ({ ...stopRow(pickup), position }));
  const { rows } = await sql<{ created_at: Date }>`
    with placed as (
      insert into orders (
        id, account_id, external_id, status, payment_method_id, rate_card_version, price_lines, total_centavos,
        distance_metres, distance_source, pickup_count, package_count)
      values (
        ${id}, ${accountId}, ${externalId}, 'created', ${paymentMethodId}, ${pricing.rateCardVersion},
        ${JSON.stringify(pricing.lines)}, ${pricing.totalCentavos}, ${route.distanceMetres}, ${route.distanceSource},
        ${pickups.length}, ${packages.length})
      on conflict (account_id, external_id) do nothing
      returning id, created_at
    ), stopped as (
      insert into pickups (
        order_id, position, address, complement, instructions, latitude, longitude, precision,
        city, state, district, postal_code, waypoint_index, eta, leg_metres)
      select
        placed.id, position, address, complement, instructions, latitude, longitude, precision,
        city, state, district, postal_code, waypoint_index, eta, leg_metres
      from placed, json_to_recordset(${JSON.stringify(stops)}::json) as given(
        position smallint, address text, complement text, instructions text, latitude double precision,
        longitude double precision, precision text, city text, state text, district text, postal_code text,
        waypoint_index smallint, eta timestamptz, leg_metres integer)
    )
    select created_at from placed`.execute(trx);
  const [placed] = rows;
  if (!placed)
    throw conflict('The account has an order of this external id.', [{ field: 'externalId', message: 'is taken' }]);
  return placed.created_at;
}
