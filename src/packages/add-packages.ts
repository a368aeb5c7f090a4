import type { KeyRing } from '../base/secrets/keys.js';
import type { TraceParent } from '../base/telemetry/tracing.js';
import { enqueuing } from '../queue/enqueue.js';
import type { PackageCodes } from './codes.js';
import { FIRST_STATUS } from './movement.js';
import {
  contentColumnNames,
  type NewPackage,
  type NewPackageRow,
  newPackageDefinition,
  newPackageRow,
  type Package,
  type PackageStatus,
  sealedPinOf,
} from './package.js';

/** Makes the rows of an order's new packages for `addingPackages`, with their ids and codes. `keys` seal PINs. */
export function newPackageRows(
  { orderId, traceparent }: { orderId: string; traceparent: TraceParent | undefined },
  packages: readonly NewPackage[],
  codes: readonly PackageCodes[],
  keys: KeyRing,
): NewPackageRow[] {
  return packages.map((added, position) => {
    const own = codes[position];
    if (!own) throw new RangeError(`package ${position} has no codes`);
    const row = newPackageRow(orderId, added, position, own, keys);
    return traceparent === undefined ? row : Object.assign(row, { traceparent });
  });
}

/**
 * SQL of table expressions that write the packages of the orders in `new_orders (id, account_id)`, which must precede
 * them. Each package gets its first movement (status 1, at the pickup) and its notification. `parameter` is the JSON of
 * the package rows; rows of other orders are left out. PINs and references are written only if a package has one.
 */
export const addingPackages = (
  parameter: string,
  { withPins, withNames }: { withPins: boolean; withNames: boolean },
): string => `
    new_packages as (
      select new_orders.account_id, package_rows.*
      from new_orders
      join json_to_recordset(${parameter}::json) as package_rows(${newPackageDefinition}${withPins ? ', pin text' : ''}${withNames ? ', reference text' : ''}) on order_id = new_orders.id
    ), packages_inserted as (
      insert into packages (
        account_id, order_id, seq, status_code, status_since, current_movement_id, created_at, ${contentColumnNames}${withNames ? ', reference' : ''})
      select account_id, order_id, 1, 1, now()::timestamptz(3), movement_id, now(), ${contentColumnNames}${withNames ? ', reference' : ''}
      from new_packages
    ), codes_inserted as (
      insert into package_codes (tracking_code, barcode, loggi_key)
      select tracking_code, barcode, loggi_key from new_packages
    ), movements_inserted as (
      insert into movements (id, loggi_key, seq, status_code, happened_at, city, state)
      select movement_id, loggi_key, 1, 1, now()::timestamptz(3), origin_city, origin_state from new_packages
    ), ${withPins ? PINS_INSERTED : ''}notified as (
      select account_id, loggi_key, 1 as seq, traceparent from new_packages
    ), ${enqueuing}`;

const PINS_INSERTED = `pins_inserted as (
      insert into delivery_pins (loggi_key, order_id, pin)
      select loggi_key, order_id, decode(pin, 'hex') from new_packages where pin is not null
    ), `;

/** Status 1 of the catalogue, and the time since which a package has it. */
export type FirstStatus = Pick<PackageStatus, 'name' | 'title' | 'description' | 'final' | 'stage' | 'since'>;

export function addedPackage(
  { origin: location, hasPin: _, ...content }: NewPackage,
  row: NewPackageRow,
  { orderId, accountId }: Pick<Package, 'orderId' | 'accountId'>,
  { since, ...status }: FirstStatus,
): Package {
  return {
    loggiKey: row.loggi_key,
    accountId,
    orderId,
    trackingCode: row.tracking_code,
    barcode: row.barcode,
    trackingLink: 0,
    status: { code: FIRST_STATUS, ...status, since, actionRequired: null, pickupAgency: null, isReopening: false },
    location,
    attempts: null,
    expected: null,
    seq: 1,
    returnedBy: null,
    createdAt: since,
    sealedPin: sealedPinOf(row),
    ...content,
  };
}
