import { type RawBuilder, sql } from 'kysely';
import { definitionOf, nextVersion } from '../../db/columns.js';
import type { Db } from '../../db/connect.js';
import { near } from '../../db/near.js';
import { stopColumns, stopRow } from '../../packages/stop.js';
import type { Order } from '../order.js';
import type { PlannedOrder } from '../plan-order.js';

const packageColumns = { ...stopColumns, promised_date: 'date' };

const setting = (columns: Readonly<Record<string, string>>): RawBuilder<unknown> =>
  sql.raw(
    Object.keys(columns)
      .map((name) => `${name} = planned.${name}`)
      .join(', '),
  );

/** Rows of a plan by their position in the order. */
const plannedRows = (rows: readonly object[], columns: Readonly<Record<string, string>>): RawBuilder<unknown> => {
  const placed = rows.map((row, position) => ({ ...row, position }));
  const definition = sql.raw(definitionOf(columns));
  return sql`json_to_recordset(${JSON.stringify(placed)}::json) as planned(position smallint, ${definition})`;
};

/** Writes a new plan of an order that is locked: price, route, and every stop with its place and time. Codes, sizes and recipients stay. */
export async function writePlan(trx: Db, { id }: Pick<Order, 'id'>, planned: PlannedOrder): Promise<void> {
  const { pricing, route, pickups, packages } = planned;
  await trx
    .updateTable('orders')
    .set({
      price_lines: JSON.stringify(pricing.lines),
      total_centavos: pricing.totalCentavos,
      rate_card_version: pricing.rateCardVersion,
      distance_metres: route.distanceMetres,
      distance_source: route.distanceSource,
      ...nextVersion,
    })
    .where('id', '=', id)
    .where(near('id', [id]))
    .execute();
  await sql`
    update pickups set ${setting(stopColumns)} from ${plannedRows(pickups.map(stopRow), stopColumns)}
    where pickups.order_id = ${id} and ${near('pickups.order_id', [id])} and pickups.position = planned.position`.execute(
    trx,
  );
  const rows = packages.map((each) => ({ ...stopRow(each), promised_date: each.promisedDate }));
  await sql`
    update packages set ${setting(packageColumns)} from ${plannedRows(rows, packageColumns)}
    where packages.order_id = ${id} and ${near('packages.loggi_key', [id])} and packages.position = planned.position`.execute(
    trx,
  );
}
