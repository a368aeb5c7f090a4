import { CompiledQuery } from 'kysely';
import { newId } from '../base/ids.js';
import type { Db } from '../db/connect.js';
import { uniqueViolation } from '../db/errors.js';
import { atomic, RunAgainError } from '../db/transaction.js';
import { type AddedRow, addedRows, addingPackages, type FirstStatus, toAdded } from '../packages/add-packages.js';
import type { CodeSource } from '../packages/code-source.js';
import { stopRow } from '../packages/stop.js';
import { externalIdTaken } from './external-id.js';
import type { Order } from './order.js';
import type { PlannedOrder } from './plan-order.js';

/**
 * Writes a planned order with its packages, their first movements and the notifications of these, all or nothing, in one
 * statement, however many there are. Throws CONFLICT when the account has an order of this externalId.
 */
export async function placeOrder(db: Db, planned: PlannedOrder, codes: CodeSource): Promise<Order> {
  const id = newId();
  const { status, rows } = await atomic(db, (sole) => insert(sole, id, planned, codes));
  if (!status) throw externalIdTaken();
  const { accountId, externalId, paymentMethodId, pricing, route, pickups } = planned;
  const owner = { orderId: id, accountId };
  const packages = planned.packages.flatMap((added, at) => {
    const row = rows[at];
    return row ? [toAdded(added, row, owner, status)] : [];
  });
  const { since: createdAt } = status;
  return {
    id,
    accountId,
    externalId,
    status: 'created',
    paymentMethodId,
    createdAt,
    updatedAt: createdAt,
    pricing,
    route,
    pickups,
    packages,
    version: 1,
  };
}

/**
 * The order, its pickups and its packages. An externalId that is taken inserts nothing instead of failing, which would end the
 * transaction that this may be a part of. A text, as making it anew for each order takes longer than sending it.
 */
const insertion = `
  with placed as (
    insert into orders (
      id, account_id, external_id, status, payment_method_id, rate_card_version, price_lines, total_centavos,
      distance_metres, distance_source, pickup_count, package_count)
    values ($1, $2, $3, 'created', $4, $5, $6, $7, $8, $9, $10, $11)
    on conflict (account_id, external_id) do nothing
    returning id, account_id, created_at
  ), stopped as (
    insert into pickups (
      order_id, position, address, complement, instructions, latitude, longitude, precision,
      city, state, district, postal_code, waypoint_index, eta, leg_metres)
    select
      placed.id, position, address, complement, instructions, latitude, longitude, precision,
      city, state, district, postal_code, waypoint_index, eta, leg_metres
    from placed, json_to_recordset($12::json) as given(
      position smallint, address text, complement text, instructions text, latitude double precision,
      longitude double precision, precision text, city text, state text, district text, postal_code text,
      waypoint_index smallint, eta timestamptz, leg_metres integer)
  ), ${addingPackages('$13')}
  select name, description, placed.created_at as since from placed, package_statuses where code = 1`;

interface Inserted {
  rows: AddedRow[];
  /** That of the packages; undefined when the externalId is taken. */
  status: FirstStatus | undefined;
}

async function insert(db: Db, id: string, planned: PlannedOrder, codes: CodeSource): Promise<Inserted> {
  const rows = addedRows(planned.packages, await codes.take(db, planned.packages.length));
  const { accountId, externalId, paymentMethodId, pricing, route, pickups } = planned;
  const stops = pickups.map((pickup, position) => ({ position, ...stopRow(pickup) }));
  const { rateCardVersion, lines, totalCentavos } = pricing;
  const values = [
    ...[id, accountId, externalId, paymentMethodId, rateCardVersion, JSON.stringify(lines), totalCentavos],
    ...[route.distanceMetres, route.distanceSource, pickups.length, rows.length],
    ...[JSON.stringify(stops), JSON.stringify(rows)],
  ];
  const placing = db.executeQuery<FirstStatus>(CompiledQuery.raw(insertion, values));
  const placed = await placing.catch((error: unknown) => {
    if (uniqueViolation(error) === undefined) throw error;
    codes.drop(db);
    throw new RunAgainError('other packages have the codes', { cause: error });
  });
  return { rows, status: placed.rows[0] };
}
