import { sql } from 'kysely';
import type { Actor } from '../../base/actor.js';
import { conflict, invalid, notFound, preconditionFailed, ServiceError } from '../../base/errors.js';
import { definitionOf, nextVersion } from '../../db/columns.js';
import type { Db } from '../../db/connect.js';
import { near } from '../../db/near.js';
import { transaction } from '../../db/transaction.js';
import { getPackage } from '../../packages/queries.js';
import { type Address, stopColumns, stopRow } from '../../packages/stop.js';
import { lockOrder, orderOf, updateOrder } from '../lock-order.js';
import type { Order, Pricing } from '../order.js';
import { type PlannedOrder, type PlanOrderDeps, planOrder, withPlacesOf } from '../plan-order.js';
import { noteAddressChange } from './address-history.js';

export interface AddressChangeInput {
  address: Address;
  /** The total of a preview; without it nothing is changed. */
  totalCentavos?: number;
}

export interface ChangedOrder {
  changed: boolean;
  previousPricing: Pricing;
  order: Order;
}

/**
 * Plans an order again with another address for one of its packages, by the rate card in force. The function returned
 * writes it, or nothing where no total confirms it. Throws NOT_FOUND, VALIDATION_ERROR, PRECONDITION_FAILED, and
 * CONFLICT when the order is no longer `created`, has changed, or costs something else than the total.
 */
export async function changeAddress(
  deps: PlanOrderDeps,
  actor: Actor,
  loggiKey: string,
  { address, totalCentavos }: AddressChangeInput,
  ifMatch?: readonly number[],
): Promise<(db: Db) => Promise<ChangedOrder>> {
  const current = await getPackage(deps.db, actor, loggiKey);
  if (!current) throw notFound('package');
  const order = await orderOf(deps.db, actor, current.orderId);
  if (ifMatch && !ifMatch.includes(order.version)) throw preconditionFailed();
  if (order.status !== 'created')
    throw conflict(`The order is ${order.status}: addresses change only while it is created.`);
  const planned = await planAgain(deps, order, current.loggiKey, address);
  const { pricing: previousPricing } = order;
  if (totalCentavos === undefined) {
    return async () => ({ changed: false, previousPricing, order: replanned(order, planned) });
  }
  const newTotalCentavos = planned.pricing.totalCentavos;
  if (totalCentavos !== newTotalCentavos) throw otherTotal();
  return (pool) =>
    transaction(pool, async (trx) => {
      const { accountId, id: orderId } = order;
      const { version } = await lockOrder(trx, actor, orderId);
      if (version !== order.version) throw ifMatch ? preconditionFailed() : changedMeanwhile();
      await writePlan(trx, orderId, planned);
      const change = { loggiKey, orderId, accountId, from: current.address, to: address };
      const repricing = { previous: previousPricing, newTotalCentavos };
      await noteAddressChange(trx, actor, { ...change, repricing });
      return { changed: true, previousPricing, order: await orderOf(trx, actor, orderId) };
    });
}

const changedMeanwhile = () => conflict('The order has changed meanwhile: look at a new preview.');

const otherTotal = () =>
  conflict('The order would cost something else now: look at a new preview.', [
    { field: 'total', message: 'is not what the order would cost' },
  ]);

/** Plans again; every error is one of the new address, as all else was right before. */
async function planAgain(deps: PlanOrderDeps, order: Order, loggiKey: string, address: Address): Promise<PlannedOrder> {
  const { accountId, paymentMethodId, service, pickups } = order;
  const packages = order.packages.map(({ items: _, ...each }) =>
    each.loggiKey === loggiKey ? { ...each, address } : each,
  );
  const planning = withPlacesOf(order, deps.planning);
  try {
    const input = { paymentMethodId, service, pickups, packages };
    return await planOrder({ ...deps, planning, fiscalRule: undefined }, accountId, input);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'VALIDATION_ERROR') throw error;
    const messages = [...new Set(error.details.map(({ message }) => message))];
    throw invalid(messages.map((message) => ({ field: 'address.address', message })));
  }
}

function replanned(order: Order, { pricing, route, pickups, packages }: PlannedOrder): Order {
  return {
    ...order,
    pricing,
    route,
    pickups,
    packages: order.packages.map((each, at) => ({ ...each, ...packages[at], items: each.items })),
  };
}

const packageColumns = {
  ...stopColumns,
  promised_date: 'date',
  line_haul_centavos: 'bigint',
  direct_metres: 'integer',
};

/** Sets columns of the order's rows in a table, by their positions. */
async function rewriteStops(
  trx: Db,
  { table, key, orderId }: { table: string; key: string; orderId: string },
  columns: Readonly<Record<string, string>>,
  rows: readonly object[],
): Promise<void> {
  const settings = Object.keys(columns).map((name) => `${name} = planned.${name}`);
  const placed = rows.map((row, position) => ({ ...row, position }));
  await sql`
    update ${sql.table(table)} stops set ${sql.raw(settings.join(', '))}
    from json_to_recordset(${JSON.stringify(placed)}::json) as planned(position smallint, ${sql.raw(definitionOf(columns))})
    where stops.order_id = ${orderId} and ${near(`stops.${key}`, [orderId])} and stops.position = planned.position`.execute(
    trx,
  );
}

/** Writes a new plan of a locked order: price, route, and every stop. Codes, sizes and recipients stay. */
async function writePlan(trx: Db, orderId: string, planned: PlannedOrder): Promise<void> {
  const { pricing, route, pickups, packages } = planned;
  await updateOrder(trx, orderId, {
    price_lines: JSON.stringify(pricing.lines),
    total_centavos: pricing.totalCentavos,
    rate_card_version: pricing.rateCardVersion,
    distance_metres: route.distanceMetres,
    distance_source: route.distanceSource,
    ...nextVersion,
  });
  await rewriteStops(trx, { table: 'pickups', key: 'order_id', orderId }, stopColumns, pickups.map(stopRow));
  const rows = packages.map((each) => ({
    ...stopRow(each),
    promised_date: each.promisedDate,
    line_haul_centavos: each.lineHaulCentavos,
    direct_metres: each.directMetres,
  }));
  await rewriteStops(trx, { table: 'packages', key: 'loggi_key', orderId }, packageColumns, rows);
}
