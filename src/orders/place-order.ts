import { CompiledQuery } from 'kysely';
import { newId } from '../base/ids.js';
import { definitionOf, namesOf } from '../db/columns.js';
import type { Db } from '../db/connect.js';
import { uniqueViolation } from '../db/errors.js';
import { atomic, RunAgainError } from '../db/transaction.js';
import { addedPackage, addingPackages, type FirstStatus, newPackageRows } from '../packages/add-packages.js';
import type { CodeSource } from '../packages/codes.js';
import type { NewPackageRow } from '../packages/package.js';
import { stopColumns, stopRow } from '../packages/stop.js';
import type { Order } from './order.js';
import { externalIdTaken, type PlannedOrder } from './plan-order.js';

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
    return row ? [addedPackage(added, row, owner, status)] : [];
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

const pickupColumns = namesOf(['position', ...Object.keys(stopColumns)]);

/**
 * The order, its pickups and its packages. An externalId that is taken inserts nothing instead of failing, which would end the
 * transaction that this may be a part of. A text, as making it anew for each order takes longer than sending it.
 */
const insertionText = `
  with new_order as (
    insert into orders (
      id, account_id, external_id, status, payment_method_id, rate_card_version, price_lines, total_centavos,
      distance_metres, distance_source, pickup_count, package_count)
    values ($1, $2, $3, 'created', $4, $5, $6, $7, $8, $9, $10, $11)
    on conflict (account_id, external_id) do nothing
    returning id, account_id, created_at
  ), pickups_inserted as (
    insert into pickups (order_id, ${pickupColumns})
    select new_order.id, ${pickupColumns}
    from new_order, json_to_recordset($12::json) as pickup_rows(position smallint, ${definitionOf(stopColumns)})
  ), ${addingPackages('$13')}
  select name, description, new_order.created_at as since from new_order, package_statuses where code = 1`;

interface Insertion {
  rows: NewPackageRow[];
  /** The status of the packages; undefined when the externalId is taken. */
  status: FirstStatus | undefined;
}

async function insert(db: Db, id: string, planned: PlannedOrder, codes: CodeSource): Promise<Insertion> {
  const rows = newPackageRows(planned.packages, await codes.take(db, planned.packages.length));
  const { accountId, externalId, paymentMethodId, pricing, route, pickups } = planned;
  const stops = pickups.map((pickup, position) => ({ position, ...stopRow(pickup) }));
  const { rateCardVersion, lines, totalCentavos } = pricing;
  const values = [
    ...[id, accountId, externalId, paymentMethodId, rateCardVersion, JSON.stringify(lines), totalCentavos],
    ...[route.distanceMetres, route.distanceSource, pickups.length, rows.length],
    ...[JSON.stringify(stops), JSON.stringify(rows)],
  ];
  const query = db.executeQuery<FirstStatus>(CompiledQuery.raw(insertionText, values));
  const result = await query.catch((error: unknown) => {
    if (uniqueViolation(error) === undefined) throw error;
    codes.drop(db);
    throw new RunAgainError('other packages have the codes', { cause: error });
  });
  return { rows, status: result.rows[0] };
}
