import { definitionOf, namesOf } from '../../../src/db/columns.js';
import { contentColumnNames, newPackageDefinition } from '../../../src/packages/package.js';
import { stopColumns } from '../../../src/packages/stop.js';
import { enqueuing } from '../../../src/queue/enqueue.js';
import type { Statement } from './statements.js';

const pickupColumns = namesOf(['position', ...Object.keys(stopColumns)]);

/**
 * Writes one order per statement, as version 1.1 did, with the keys of partitioned tables. The measurement of grouped
 * orders compares with this.
 */
const text = `
  with new_order as (
    insert into orders (
      id, account_id, external_id, status, payment_method_id, rate_card_version, price_lines, total_centavos,
      distance_metres, distance_source, pickup_count, package_count)
    values ($1, $2, $3, 'created', $4, $5, $6, $7, $8, $9, $10, $11)
    on conflict do nothing
    returning id, account_id, created_at
  ), pickups_inserted as (
    insert into pickups (order_id, ${pickupColumns})
    select new_order.id, ${pickupColumns}
    from new_order, json_to_recordset($12::json) as pickup_rows(position smallint, ${definitionOf(stopColumns)})
  ), new_packages as (
    select * from new_order, json_to_recordset($13::json) as package_rows(${newPackageDefinition})
  ), packages_inserted as (
    insert into packages (
      account_id, order_id, seq, status_code, status_since, current_movement_id, created_at, ${contentColumnNames})
    select account_id, id, 1, 1, now()::timestamptz(3), movement_id, now(), ${contentColumnNames}
    from new_packages
  ), movements_inserted as (
    insert into movements (id, loggi_key, seq, status_code, happened_at, city, state)
    select movement_id, loggi_key, 1, 1, now()::timestamptz(3), origin_city, origin_state from new_packages
  ), codes_inserted as (
    insert into package_codes (tracking_code, barcode, loggi_key) select tracking_code, barcode, loggi_key from new_packages
  ), notified as (
    select account_id, loggi_key, 1 as seq, null::text as traceparent from new_packages
  ), ${enqueuing}
  select name, description, new_order.created_at as since from new_order, package_statuses where code = 1`;

interface OrderRow {
  id: string;
  account_id: string;
  external_id: string | null;
  payment_method_id: number;
  rate_card_version: number;
  price_lines: unknown;
  total_centavos: number;
  distance_metres: number;
  distance_source: string;
  pickup_count: number;
  package_count: number;
}

/**
 * The statements of an order with the insertion above. Throws unless exactly one statement inserts exactly one order.
 */
export function withOneOrder(statements: readonly Statement[]): Statement[] {
  const others = statements.filter((statement) => !statement.text.includes('insert into orders'));
  const [insertion] = statements.filter((statement) => statement.text.includes('insert into orders'));
  const [, orders, pickups, packages] = insertion?.values ?? [];
  const rows: OrderRow[] = JSON.parse(String(orders));
  const [row] = rows;
  if (!row || rows.length > 1) throw new Error('the statement that was recorded does not write one order');
  const { id, account_id, external_id, payment_method_id, rate_card_version, price_lines, total_centavos } = row;
  const values = [
    ...[id, account_id, external_id, payment_method_id, rate_card_version, JSON.stringify(price_lines), total_centavos],
    ...[row.distance_metres, row.distance_source, row.pickup_count, row.package_count, pickups, packages],
  ];
  return [...others, { text, values }];
}
