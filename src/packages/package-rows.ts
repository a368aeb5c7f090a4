import { type RawBuilder, sql } from 'kysely';
import { type JsonRow, namesOf } from '../db/columns.js';
import type { PartitionFilter } from '../db/near.js';
import type { SqlTypes } from '../db/row.js';
import type { OrderStatus, Packages } from '../db/tables/database.js';
import type { PublicTitle } from '../db/tables/movements.js';
import { factColumns, type MovementFacts } from './movement.js';
import { type PickupPartRow, pickupPartRow, stopColumns } from './stop.js';

/** Columns that come from the order or the first movement, or that few packages have. */
type Elsewhere =
  | ('account_id' | 'order_id' | 'tracking_link' | 'reference')
  | ('seq' | 'status_code' | 'status_since' | 'current_movement_id')
  | ('attempt_count' | 'attempt_outcome' | 'attempt_next_on' | 'attempted_at');

export const contentColumns = {
  loggi_key: 'uuid',
  position: 'smallint',
  pickup_position: 'smallint',
  tracking_code: 'text',
  barcode: 'text',
  recipient_name: 'text',
  recipient_phone: 'text',
  recipient_tax_id: 'text',
  fiscal_kind: 'text',
  fiscal_key: 'text',
  fiscal_reason: 'text',
  width: 'double precision',
  height: 'double precision',
  length: 'double precision',
  weight: 'double precision',
  items: 'jsonb',
  promised_date: 'date',
  declared_centavos: 'integer',
  line_haul_centavos: 'bigint',
  direct_metres: 'integer',
  deliver_from: 'date',
  deliver_by: 'date',
  ...stopColumns,
} as const satisfies SqlTypes<'packages', Elsewhere>;

export type ContentRow = Omit<JsonRow<Pick<Packages, keyof typeof contentColumns>>, 'line_haul_centavos'> & {
  line_haul_centavos: number | null;
};

type StateRow = JsonRow<
  Pick<
    Packages,
    | (
        | 'account_id'
        | 'order_id'
        | 'seq'
        | 'status_code'
        | 'status_since'
        | 'created_at'
        | 'tracking_link'
        | 'reference'
      )
    | ('attempt_count' | 'attempt_outcome' | 'attempt_next_on')
  >
>;

export interface PackageRow extends ContentRow, StateRow, MovementFacts {
  status_name: string;
  status_description: string;
  status_title: PublicTitle | null;
  status_final: boolean;
  status_stage: OrderStatus;
  pickup: PickupPartRow;
  returned_by: string | null;
  pin: string | null;
}

/** The package's own columns that few lists need. */
const otherColumns = [
  ...['account_id', 'seq', 'created_at', 'items', 'direct_metres', 'declared_centavos', 'line_haul_centavos'],
  ...['fiscal_kind', 'fiscal_key', 'fiscal_reason', 'latitude', 'longitude', 'precision', 'accuracy_metres'],
  ...['city', 'state', 'district', 'postal_code', 'deliver_from', 'deliver_by'],
  ...['location_given', 'reference', 'attempt_count', 'attempt_outcome', 'attempt_next_on'],
];
const usualColumns = Object.keys(contentColumns).filter((name) => !otherColumns.includes(name));

interface Part {
  columns: string;
  join?: (inPartitions: PartitionFilter) => RawBuilder<unknown>;
}

/**
 * Joins a row of a package `p` in another table of its month. `limit 1` forces a look-up by key. Without it the planner
 * underestimates the range of ids, and reads all rows of the range: hours of orders.
 */
const oneOf = (table: string, alias: string, key: string, condition: string) => (inPartitions: PartitionFilter) =>
  sql`
  join lateral (
    select * from ${sql.table(table)} where ${sql.raw(condition)} and ${inPartitions(key)} limit 1) ${sql.raw(alias)} on true`;

/** Parts of a package's row that a list may leave out. They cost more than the rest of the row. */
const parts = {
  others: {
    columns: `${namesOf(otherColumns, 'p')},
      s.description as status_description, s.final as status_final, s.stage as status_stage`,
  },
  pickup: {
    columns: `${pickupPartRow('u')} as pickup`,
    join: oneOf('pickups', 'u', 'order_id', 'order_id = p.order_id and position = p.pickup_position'),
  },
  movement: {
    columns: factColumns,
    join: oneOf('movements', 'm', 'loggi_key', 'loggi_key = p.loggi_key and id = p.current_movement_id'),
  },
  related: {
    columns: `
      (select r.order_id from package_returns r where r.loggi_key = p.loggi_key order by r.order_id desc limit 1) as returned_by,
      case when not s.final then (select encode(pin, 'hex') from delivery_pins where loggi_key = p.loggi_key) end as pin`,
  },
} satisfies Record<string, Part>;

export type PackagePart = keyof typeof parts;

/**
 * Selects rows for `toPackage`, or only some parts of them. The tables are `p` (packages), `s` (its status) and those
 * of the parts.
 */
export function packageRows(inPartitions: PartitionFilter, wanted?: ReadonlySet<PackagePart>): RawBuilder<unknown> {
  const all: Readonly<Record<PackagePart, Part>> = parts;
  const read = wanted ? [...wanted].sort().map((name) => all[name]) : Object.values(all);
  return sql`
    select
      ${sql.raw(namesOf(usualColumns, 'p'))}, p.order_id, p.status_code, p.status_since, p.tracking_link, s.name as status_name, s.public_title as status_title
      ${sql.raw(read.map(({ columns }) => `, ${columns}`).join(''))}
    from packages p
    join package_statuses s on s.code = p.status_code
    ${sql.join(
      read.flatMap(({ join }) => (join ? [join(inPartitions)] : [])),
      sql` `,
    )}`;
}
