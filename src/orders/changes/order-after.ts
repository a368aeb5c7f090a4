import { sql } from 'kysely';
import type { Actor } from '../../base/actor.js';
import { conflict, notFound, preconditionFailed } from '../../base/errors.js';
import { definitionOf, nextVersion } from '../../db/columns.js';
import type { Db } from '../../db/connect.js';
import { inPartitionsOf } from '../../db/near.js';
import type { LedgerKind } from '../../db/tables/ledger.js';
import type { Package } from '../../packages/package.js';
import { getPackage } from '../../packages/queries.js';
import { type Stop, stopColumns, stopRow } from '../../packages/stop.js';
import { orderOf, updateOrder } from '../lock-order.js';
import type { Order, Pricing } from '../order.js';

export type Versions = readonly number[] | undefined;

export interface ChangedOrder {
  /** True if the order was changed. False for a preview. */
  changed: boolean;
  previousPricing: Pricing;
  order: Order;
}

/** Reads the order of a package. Throws NOT_FOUND, and PRECONDITION_FAILED for another version of the order. */
export async function orderOfPackage(db: Db, actor: Actor, key: string, ifMatch: Versions) {
  const named = await getPackage(db, actor, key);
  if (!named) throw notFound('package');
  const order = await orderOf(db, actor, named.orderId);
  if (ifMatch && !ifMatch.includes(order.version)) throw preconditionFailed();
  const current = order.packages.find(({ loggiKey }) => loggiKey === named.loggiKey);
  if (!current) throw notFound('package');
  return { order, current };
}

export const changedMeanwhile = () =>
  conflict('order_changed', 'The order has changed meanwhile: look at a new preview.');

export const isCancelled = ({ status }: Package): boolean => status.stage === 'cancelled';

/** Makes an order of some packages and their pickups. `pickupOf` maps its pickups to the original ones. */
export function partOf<T extends { pickupIndex: number }>(pickups: readonly Stop[], some: readonly T[]) {
  const pickupOf = [...new Set(some.map(({ pickupIndex }) => pickupIndex))].sort((a, b) => a - b);
  return {
    pickupOf,
    pickups: pickups.filter((_, at) => pickupOf.includes(at)),
    packages: some.map((each) => ({ ...each, pickupIndex: pickupOf.indexOf(each.pickupIndex) })),
  };
}

const packageColumns = {
  ...stopColumns,
  promised_date: 'date',
  line_haul_centavos: 'bigint',
  direct_metres: 'integer',
};

/** Updates columns of an order's rows in a table, matched by position. */
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
    where stops.order_id = ${orderId} and ${inPartitionsOf(`stops.${key}`, [orderId])} and stops.position = planned.position`.execute(
    trx,
  );
}

/** The kind of change that gives an order another price, and the changed package. */
export interface PriceCause {
  kind: Exclude<LedgerKind, 'order_created' | 'return_created' | 'price_changed'>;
  loggiKey: string;
}

/** Writes price, route and stops of a locked order. Codes, sizes, recipients and statuses stay. */
export async function writePlan(
  trx: Db,
  { id: orderId, pricing, route, pickups, packages }: Order,
  cause: PriceCause,
): Promise<void> {
  await updateOrder(trx, orderId, {
    price_lines: JSON.stringify(pricing.lines),
    total_centavos: pricing.totalCentavos,
    rate_card_version: pricing.rateCardVersion,
    distance_metres: route.distanceMetres,
    distance_source: route.distanceSource,
    ...nextVersion,
  });
  await nameCause(trx, orderId, cause);
  await rewriteStops(trx, { table: 'pickups', key: 'order_id', orderId }, stopColumns, pickups.map(stopRow));
  const rows = packages.map((each) => ({
    ...stopRow(each),
    promised_date: each.promisedDate,
    line_haul_centavos: each.lineHaulCentavos,
    direct_metres: each.directMetres,
  }));
  await rewriteStops(trx, { table: 'packages', key: 'loggi_key', orderId }, packageColumns, rows);
}

/** Adds the cause to the ledger entry that a trigger made. Without a change of price there is no entry. */
async function nameCause(trx: Db, orderId: string, { kind, loggiKey }: PriceCause): Promise<void> {
  await trx
    .updateTable('ledger_entries')
    .set({ kind, loggi_key: loggiKey })
    .where('order_id', '=', orderId)
    .where('kind', '=', 'price_changed')
    .where('at', '=', sql<Date>`now()::timestamptz(3)`)
    .execute();
}
